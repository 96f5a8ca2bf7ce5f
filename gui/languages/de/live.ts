<?xml version="1.0" encoding="utf-8"?>
<TS version="2.1" language="de">
<context>
<name>rehabcount</name>
<message><source>Silent: {names}. Counting goes on without; check strap and battery.</source><translation>Stumm: {names}. Es wird ohne weitergezählt; Gurt und Akku prüfen.</translation></message>
<message><source>{n} second is not on the disk; it waits in memory.</source><translation>{n} Sekunde ist nicht auf der Platte; sie wartet im Speicher.</translation></message>
<message><source>{n} seconds are not on the disk; they wait in memory.</source><translation>{n} Sekunden sind nicht auf der Platte; sie warten im Speicher.</translation></message>
<message><source>No news from the session for {n} second. The number is not live; recording goes on.</source><translation>Seit {n} Sekunde nichts von der Sitzung. Die Zahl steht; die Aufzeichnung läuft weiter.</translation></message>
<message><source>No news from the session for {n} seconds. The number is not live; recording goes on.</source><translation>Seit {n} Sekunden nichts von der Sitzung. Die Zahl steht; die Aufzeichnung läuft weiter.</translation></message>
<message><source>Not counting: {names} missing. Check strap and battery; it reconnects by itself.</source><translation>Es wird nicht gezählt: {names} fehlt. Gurt und Akku prüfen; die Verbindung kommt von selbst zurück.</translation></message>
<message><source>Not counting: the sensors are not calibrated.</source><translation>Es wird nicht gezählt: Die Sensoren sind nicht kalibriert.</translation></message>
<message><source>Counting is {n} second behind.</source><translation>Die Zählung ist {n} Sekunde zurück.</translation></message>
<message><source>Counting is {n} seconds behind.</source><translation>Die Zählung ist {n} Sekunden zurück.</translation></message>
<message><source>Look at {name}: {why}. Calibrate again at the next pause.</source><translation>Bitte ansehen: {name}: {why}. In der nächsten Pause neu kalibrieren.</translation></message>
<message><source>Weak signal: {names}. Move closer to the computer.</source><translation>Schwaches Signal: {names}. Näher an den Computer gehen.</translation></message>
<message><source>Battery low: {names}.</source><translation>Akku schwach: {names}.</translation></message>
<message><source>Session</source><translation>Sitzung</translation></message>
<message><source>Since counting began, pauses included</source><translation>Seit Beginn der Zählung, mit Pausen</translation></message>
<message><source>since Start</source><translation>seit Start</translation></message>
<message><source>Sound at each repetition</source><translation>Ton bei jeder Wiederholung</translation></message>
<message><source>Signals (S)</source><translation>Signale (S)</translation></message>
<message><source>Patient view (P)</source><translation>Patientenansicht (P)</translation></message>
<message><source>Start</source><translation>Los</translation></message>
<message><source>Space</source><translation>Leertaste</translation></message>
<message><source>Next activity</source><translation>Nächste Aufgabe</translation></message>
<message><source>I am assisting</source><translation>Ich helfe</translation></message>
<message><source>Mark</source><translation>Markieren</translation></message>
<message><source>End</source><translation>Ende</translation></message>
<message><source>One repetition fewer</source><translation>Eine Wiederholung weniger</translation></message>
<message><source>One repetition more</source><translation>Eine Wiederholung mehr</translation></message>
<message><source>Try again</source><translation>Noch einmal versuchen</translation></message>
<message><source>One moment, please</source><translation>Einen Moment, bitte</translation></message>
<message><source>Leave</source><translation>Verlassen</translation></message>
<message><source>End this session? It is saved, and can be reviewed and corrected.</source><translation>Sitzung beenden? Sie wird gespeichert und kann durchgesehen und korrigiert werden.</translation></message>
<message><source>End and save</source><translation>Beenden und speichern</translation></message>
<message><source>Go on</source><translation>Weiter</translation></message>
<message><source>left arm</source><translation>linker Arm</translation></message>
<message><source>right arm</source><translation>rechter Arm</translation></message>
<message><source>This session belongs to</source><translation>Diese Sitzung gehört zu</translation></message>
<message><source>The model was measured on simulated or healthy people only; see About.</source><translation>Das Modell wurde nur an simulierten oder gesunden Menschen gemessen; siehe Über.</translation></message>
<message><source>start, pause, go on</source><translation>beginnen, pausieren, weiter</translation></message>
<message><source>next activity</source><translation>nächste Aufgabe</translation></message>
<message><source>one repetition more, one fewer</source><translation>eine Wiederholung mehr, eine weniger</translation></message>
<message><source>undo the last of these</source><translation>das Letzte davon rückgängig</translation></message>
<message><source>I am assisting, and no more</source><translation>ich helfe, und nicht mehr</translation></message>
<message><source>mark this moment</source><translation>diesen Augenblick markieren</translation></message>
<message><source>end the session</source><translation>die Sitzung beenden</translation></message>
<message><source>signals; patient view</source><translation>Signale; Patientenansicht</translation></message>
<message><source>Enter</source><translation>Eingabe</translation></message>
<message><source>press the control in focus</source><translation>das markierte Bedienelement drücken</translation></message>
<message><source>Accuracy on patients unknown</source><translation>Genauigkeit bei Patienten unbekannt</translation></message>
<message><source>{number} by hand</source><translation>{number} von Hand</translation></message>
<message><source>Pause</source><translation>Pause</translation></message>
<message><source>{number} of {target} repetitions</source><translation>{number} von {target} Wiederholungen</translation></message>
<message><source>{number} repetitions</source><translation>{number} Wiederholungen</translation></message>
<message><source>{name}: {done} of {target}</source><translation>{name}: {done} von {target}</translation></message>
<message><source>{name}: {done}</source><translation>{name}: {done}</translation></message>
<message><source>Go to this activity</source><translation>Zu dieser Aufgabe</translation></message>
<message><source>Activities</source><translation>Aufgaben</translation></message>
<message><source>Preparing …</source><translation>Vorbereiten …</translation></message>
<message><source>leaning {deg}°</source><translation>geneigt {deg}°</translation></message>
<message><source>upright {deg}°</source><translation>aufrecht {deg}°</translation></message>
<message><source>of {target}</source><translation>von {target}</translation></message>
<message><source>Not live</source><translation>Steht</translation></message>
<message><source>Pace</source><translation>Tempo</translation></message>
<message><source>Active</source><translation>Aktiv</translation></message>
<message><source>Assisted</source><translation>Mit Hilfe</translation></message>
<message><source>Trunk</source><translation>Rumpf</translation></message>
<message><source>Free exercise</source><translation>Freies Üben</translation></message>
<message><source>{pace} per min in {counted}</source><translation>{pace} je min in {counted}</translation></message>
<message><source>Ready</source><translation>Bereit</translation></message>
<message><source>Counting</source><translation>Zählt</translation></message>
<message><source>Paused: nothing is counted</source><translation>Pause: Es wird nicht gezählt</translation></message>
<message><source>Assisted: counted apart</source><translation>Mit Hilfe: getrennt gezählt</translation></message>
<message><source>Saving …</source><translation>Speichern …</translation></message>
<message><source>Patient view</source><translation>Patientenansicht</translation></message>
<message><source>We start in a moment</source><translation>Gleich geht es los</translation></message>
<message><source>A short break</source><translation>Kurze Pause</translation></message>
<message><source>Target reached. Well done!</source><translation>Ziel erreicht. Gut gemacht!</translation></message>
<message><source>Ribbon of recognised movements</source><translation>Band der erkannten Bewegungen</translation></message>
<message><source>not counted</source><translation>nicht gezählt</translation></message>
<message><source>now</source><translation>jetzt</translation></message>
<message><source>{n} s ago</source><translation>vor {n} s</translation></message>
<message><source>nothing recognised yet</source><translation>noch nichts erkannt</translation></message>
<message><source>paused</source><translation>Pause</translation></message>
<message><source>assisted</source><translation>mit Hilfe</translation></message>
<message><source>last movement: {name}</source><translation>letzte Bewegung: {name}</translation></message>
<message><source>Signals: acceleration of each sensor</source><translation>Signale: Beschleunigung jedes Sensors</translation></message>
<message><source>hatched: not settled yet, not counted</source><translation>schraffiert: noch nicht sicher, nicht gezählt</translation></message>
<message><source>{letter}: other movement, never counted</source><translation>{letter}: sonstige Bewegung, nie gezählt</translation></message>
<message><source>line at the bottom: a sensor was silent</source><translation>Linie unten: ein Sensor war stumm</translation></message>
<message><source>flag: a mark</source><translation>Fähnchen: eine Markierung</translation></message>
<message><source>Catching up …</source><translation>Holt auf …</translation></message>
<message><source>Target reached</source><translation>Ziel erreicht</translation></message>
<message><source>Target reached. Next: {activity}</source><translation>Ziel erreicht. Nächste: {activity}</translation></message>
<message><source>In all</source><translation>Insgesamt</translation></message>
<message><source>{number}, {done} of {target} planned</source><translation>{number}, {done} von {target} geplant</translation></message>
<message><source>{activity}: repetitions</source><translation>{activity}: Wiederholungen</translation></message>
<message><source>Repetitions</source><translation>Wiederholungen</translation></message>
</context>
</TS>
