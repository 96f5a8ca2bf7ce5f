<?xml version="1.0" encoding="utf-8"?>
<TS version="2.1" language="de">
<context>
<name>rehabcount</name>
<message><source>How far the count of a single session is off was not measured for this model.</source><translation>Wie weit die Zählung einer einzelnen Sitzung danebenliegt, wurde für dieses Modell nicht gemessen.</translation></message>
<message><source>On simulated patients with {sensors} sensors, {within} of {sessions} sessions were counted within {off} repetitions of the true number ({mean} on average).</source><translation>Bei simulierten Patienten mit {sensors} Sensoren lag die Zählung in {within} von {sessions} Sitzungen höchstens {off} Wiederholungen neben der wahren Zahl (im Mittel {mean}).</translation></message>
<message><source>With {sensors} sensors {within} of {sessions} sessions were counted within {off} repetitions of the true number ({mean} on average).</source><translation>Mit {sensors} Sensoren: In {within} von {sessions} Sitzungen lag die Zählung höchstens {off} Wiederholungen neben der wahren Zahl (im Mittel {mean}).</translation></message>
<message><source>With a severely affected arm {within} of {sessions} within {off} ({mean} on average).</source><translation>Bei schwer betroffenem Arm in {within} von {sessions} höchstens {off} (im Mittel {mean}).</translation></message>
<message><source>At most {off} off in {within} of {sessions} simulated sessions</source><translation>In {within} von {sessions} simulierten Sitzungen höchstens {off} daneben</translation></message>
<message><source>At most {off} off in {within} of {sessions} sessions</source><translation>In {within} von {sessions} Sitzungen höchstens {off} daneben</translation></message>
<message><source>; severely affected {off}</source><translation>; schwer betroffen {off}</translation></message>
<message><source>Measured on {people}.</source><translation>Gemessen wurden {people}.</translation></message>
<message><source>About {n} errors in 100 movements with a mildly or moderately affected arm, about {more} with a severely affected one (Fugl-Meyer below {score}).</source><translation>Etwa {n} Fehler auf 100 Bewegungen bei einem leicht oder mittelschwer betroffenen Arm, etwa {more} bei einem schwer betroffenen (Fugl-Meyer unter {score}).</translation></message>
<message><source>Measured on simulated people.</source><translation>Gemessen wurden simulierte Menschen.</translation></message>
<message><source>Enter the Fugl-Meyer score: severely affected arms are counted poorly.</source><translation>Tragen Sie den Fugl-Meyer-Wert ein: Schwer betroffene Arme werden schlecht gezählt.</translation></message>
<message><source>For arms this weak, about {n} in 100 movements are missed or counted wrongly.</source><translation>Bei so schwachen Armen werden etwa {n} von 100 Bewegungen übersehen oder falsch gezählt.</translation></message>
<message><source>With this model and these sensors, about {n} in 100 movements are missed or counted wrongly.</source><translation>Mit diesem Modell und diesen Sensoren werden etwa {n} von 100 Bewegungen übersehen oder falsch gezählt.</translation></message>
<message><source>For 100 movements made it counts about {n}.</source><translation>Auf 100 gemachte Bewegungen zählt es etwa {n}.</translation></message>
<message><source>Read the count as a rough sign of activity only.</source><translation>Lesen Sie die Zahl nur als grobes Zeichen von Aktivität.</translation></message>
<message><source>Rough sign of activity only</source><translation>Nur grobes Zeichen von Aktivität</translation></message>
<message><source>for patients with Fugl-Meyer below {score}</source><translation>für Patienten mit Fugl-Meyer unter {score}</translation></message>
<message><source>for patients with Fugl-Meyer {score} or more</source><translation>für Patienten mit Fugl-Meyer ab {score}</translation></message>
<message><source>severe</source><translation>schwer</translation></message>
<message><source>Arms this weak are counted poorly; the set-up says how poorly.</source><translation>So schwache Arme werden schlecht gezählt; die Vorbereitung sagt, wie schlecht.</translation></message>
<message><source>{clock} min</source><translation>{clock} min</translation></message>
<message><source>{clock} h</source><translation>{clock} h</translation></message>
<message><source>Events corrected: {corrected} ({changed} changed, {removed} removed, {added} added); {kept} kept.</source><translation>Ereignisse korrigiert: {corrected} ({changed} geändert, {removed} entfernt, {added} hinzugefügt); {kept} behalten.</translation></message>
<message><source>paused from {start} to {end}</source><translation>pausiert von {start} bis {end}</translation></message>
<message><source>repetitions per counted minute</source><translation>Wiederholungen je gezählter Minute</translation></message>
<message><source>Repetitions per counted minute</source><translation>Wiederholungen je gezählter Minute</translation></message>
<message><source>Pauses and assisted time are left out.</source><translation>Pausen und Zeit mit Hilfe zählen nicht mit.</translation></message>
<message><source>since Start, pauses included</source><translation>seit dem Start, mit den Pausen</translation></message>
<message><source>Time since Start, pauses included.</source><translation>Zeit seit dem Start, mit den Pausen.</translation></message>
<message><source>More than one activity's target does not make up for another's.</source><translation>Was über das Ziel einer Aktivität hinausgeht, gleicht keine andere aus.</translation></message>
<message><source>Of the plan</source><translation>Vom Plan</translation></message>
<message><source>Events corrected</source><translation>Ereignisse korrigiert</translation></message>
<message><source>{start} to {end} since Start, {length} s long</source><translation>{start} bis {end} seit dem Start, {length} s lang</translation></message>
<message><source>The recogniser said {label}, {start} to {end}.</source><translation>Die Erkennung sagte {label}, {start} bis {end}.</translation></message>
<message><source>{n} changes taken from ELAN.</source><translation>{n} Änderungen aus ELAN übernommen.</translation></message>
<message><source>reviewed</source><translation>durchgesehen</translation></message>
<message><source>{target} planned</source><translation>{target} geplant</translation></message>
</context>
</TS>
