<?xml version="1.0" encoding="utf-8"?>
<TS version="2.1" language="de">
<context>
<name>rehabcount</name>
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
</context>
</TS>
