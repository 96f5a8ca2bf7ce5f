<?xml version="1.0" encoding="utf-8"?>
<TS version="2.1" language="de">
<context>
<name>rehabcount</name>
<message><source>About {n} errors in 100 movements, measured on {people}.</source><translation>Etwa {n} Fehler auf 100 Bewegungen; gemessen wurden {people}.</translation></message>
<message><source>palm up</source><translation>Handfläche nach oben</translation></message>
<message><source>palm down</source><translation>Handfläche nach unten</translation></message>
<message><source>A person sits still, elbows bent, palms down.</source><translation>Eine Person sitzt still, Ellbogen gebeugt, Handflächen nach unten.</translation></message>
<message><source>An elbow is bent and stretched.</source><translation>Ein Ellbogen wird gebeugt und gestreckt.</translation></message>
<message><source>A forearm is turned.</source><translation>Ein Unterarm wird gedreht.</translation></message>
<message><source>patient's right</source><translation>rechts (Patient)</translation></message>
<message><source>patient's left</source><translation>links (Patient)</translation></message>
<message><source>{good} of {all} sensors connected</source><translation>{good} von {all} Sensoren verbunden</translation></message>
<message><source>Get ready</source><translation>Bereit machen</translation></message>
<message><source>Hold still</source><translation>Stillhalten</translation></message>
<message><source>Bend and stretch the elbow</source><translation>Ellbogen beugen und strecken</translation></message>
<message><source>Turn the forearm</source><translation>Unterarm drehen</translation></message>
<message><source>Sit upright. Upper arms hang, elbows bent to a right angle, forearms forward, palms down.</source><translation>Aufrecht sitzen. Oberarme hängen, Ellbogen rechtwinklig, Unterarme nach vorn, Handflächen nach unten.</translation></message>
<message><source>Nothing moves until the seconds have run out.</source><translation>Nichts bewegt sich, bis die Sekunden abgelaufen sind.</translation></message>
<message><source>The calibration is under way. Leave it and lose it?</source><translation>Die Kalibrierung läuft gerade. Abbrechen und verwerfen?</translation></message>
<message><source>Go on calibrating</source><translation>Weiter kalibrieren</translation></message>
<message><source>Three times, slowly, palm down. You may move the arm for the patient.</source><translation>Dreimal, langsam, Handfläche nach unten. Sie dürfen den Arm für den Patienten bewegen.</translation></message>
<message><source>Three times, slowly: palm up, palm down. You may turn it for the patient.</source><translation>Dreimal, langsam: Handfläche nach oben, nach unten. Sie dürfen für den Patienten drehen.</translation></message>
<message><source>Progress of the calibration</source><translation>Fortschritt der Kalibrierung</translation></message>
<message><source>How do the sensors sit?</source><translation>Wie sitzen die Sensoren?</translation></message>
<message><source>Half a minute: hold still, bend the elbow, turn the forearm. It runs by itself.</source><translation>Eine halbe Minute: stillhalten, Ellbogen beugen, Unterarm drehen. Es läuft von selbst.</translation></message>
<message><source>Working it out …</source><translation>Wird ausgerechnet …</translation></message>
<message><source>The simulated patient does this by itself. Just watch.</source><translation>Der simulierte Patient macht das von selbst. Sehen Sie einfach zu.</translation></message>
<message><source>The calibration is good.</source><translation>Die Kalibrierung ist gut.</translation></message>
<message><source>Everything is ready. Counting begins when you press Start on the next screen.</source><translation>Alles ist bereit. Gezählt wird, sobald Sie auf der nächsten Seite „Los“ drücken.</translation></message>
<message><source>The calibration can be used.</source><translation>Die Kalibrierung ist brauchbar.</translation></message>
<message><source>A repetition would make counts surer.</source><translation>Eine Wiederholung würde die Zählung sicherer machen.</translation></message>
<message><source>Please repeat the calibration.</source><translation>Bitte die Kalibrierung wiederholen.</translation></message>
<message><source>What went wrong:</source><translation>Was nicht gelang:</translation></message>
<message><source>Pelvis (back)</source><translation>Becken (hinten)</translation></message>
<message><source>Lower back</source><translation>Unterer Rücken</translation></message>
<message><source>Neck (back)</source><translation>Nacken</translation></message>
<message><source>Breastbone</source><translation>Brustbein</translation></message>
<message><source>Left upper arm</source><translation>Linker Oberarm</translation></message>
<message><source>Left forearm</source><translation>Linker Unterarm</translation></message>
<message><source>Left wrist</source><translation>Linkes Handgelenk</translation></message>
<message><source>Left hand</source><translation>Linke Hand</translation></message>
<message><source>Right upper arm</source><translation>Rechter Oberarm</translation></message>
<message><source>Right forearm</source><translation>Rechter Unterarm</translation></message>
<message><source>Right wrist</source><translation>Rechtes Handgelenk</translation></message>
<message><source>Right hand</source><translation>Rechte Hand</translation></message>
<message><source>On the breastbone, face outward, its top up.</source><translation>Auf dem Brustbein, Vorderseite nach außen, Oberkante nach oben.</translation></message>
<message><source>On the back, in the middle, face outward, its top up.</source><translation>Auf dem Rücken, in der Mitte, Vorderseite nach außen, Oberkante nach oben.</translation></message>
<message><source>On the outside of the upper arm, halfway down, its top towards the shoulder.</source><translation>Außen am Oberarm, auf halber Höhe, Oberkante zur Schulter.</translation></message>
<message><source>On the back of the forearm, halfway down, its top towards the elbow.</source><translation>Auf der Rückseite des Unterarms, auf halber Höhe, Oberkante zum Ellbogen.</translation></message>
<message><source>On the back of the wrist like a watch, its top towards the elbow.</source><translation>Auf dem Handgelenk wie eine Uhr, Oberkante zum Ellbogen.</translation></message>
<message><source>On the back of the hand, its top towards the wrist.</source><translation>Auf dem Handrücken, Oberkante zum Handgelenk.</translation></message>
<message><source>Lean forward and back a few times.</source><translation>Einige Male vor- und zurücklehnen.</translation></message>
<message><source>Lift the left arm a few times.</source><translation>Den linken Arm einige Male heben.</translation></message>
<message><source>Lift the right arm a few times.</source><translation>Den rechten Arm einige Male heben.</translation></message>
<message><source>strong</source><translation>stark</translation></message>
<message><source>hand</source><translation>Hand</translation></message>
<message><source>forearm</source><translation>Unterarm</translation></message>
<message><source>upper arm</source><translation>Oberarm</translation></message>
<message><source>breastbone or neck</source><translation>Brustbein oder Nacken</translation></message>
<message><source>lower back</source><translation>unterer Rücken</translation></message>
<message><source>pelvis</source><translation>Becken</translation></message>
<message><source>Lift the left hand a few times.</source><translation>Die linke Hand einige Male heben.</translation></message>
<message><source>Lift the right hand a few times.</source><translation>Die rechte Hand einige Male heben.</translation></message>
<message><source>Bend and stretch the left elbow a few times.</source><translation>Den linken Ellbogen einige Male beugen und strecken.</translation></message>
<message><source>Bend and stretch the right elbow a few times.</source><translation>Den rechten Ellbogen einige Male beugen und strecken.</translation></message>
<message><source>sensor {name}</source><translation>Sensor {name}</translation></message>
<message><source>move it now</source><translation>jetzt bewegen</translation></message>
<message><source>no sensor yet</source><translation>noch kein Sensor</translation></message>
<message><source>found</source><translation>gefunden</translation></message>
<message><source>connecting …</source><translation>wird verbunden …</translation></message>
<message><source>no data, trying again …</source><translation>keine Daten, neuer Versuch …</translation></message>
<message><source>fair</source><translation>mittel</translation></message>
<message><source>weak</source><translation>schwach</translation></message>
<message><source>last data {age:.0f} s ago</source><translation>letzte Daten vor {age:.0f} s</translation></message>
<message><source>battery {percent} %: charge</source><translation>Akku {percent} %: laden</translation></message>
<message><source>loses {percent:.0f} %: closer</source><translation>verliert {percent:.0f} %: näher</translation></message>
<message><source>{percent} %</source><translation>{percent} %</translation></message>
<message><source>{rate:.0f} Hz</source><translation>{rate:.0f} Hz</translation></message>
<message><source>Glass to shelf</source><translation>Glas ins Regal</translation></message>
<message><source>Reaching on the table</source><translation>Greifen auf dem Tisch</translation></message>
<message><source>Drinking</source><translation>Trinken</translation></message>
<message><source>Eating</source><translation>Essen</translation></message>
<message><source>Combing</source><translation>Kämmen</translation></message>
<message><source>Washing the face</source><translation>Gesicht waschen</translation></message>
<message><source>Brushing teeth</source><translation>Zähne putzen</translation></message>
<message><source>Putting on glasses</source><translation>Brille aufsetzen</translation></message>
<message><source>Activity</source><translation>Aufgabe</translation></message>
<message><source>no target</source><translation>kein Ziel</translation></message>
<message><source>Target of task repetitions</source><translation>Ziel an Wiederholungen</translation></message>
<message><source>Remove this activity</source><translation>Diese Aufgabe entfernen</translation></message>
<message><source>Add an activity</source><translation>Aufgabe hinzufügen</translation></message>
<message><source>Without a plan everything is counted together. An activity can be added at any time.</source><translation>Ohne Plan wird alles zusammen gezählt. Eine Aufgabe kann jederzeit dazukommen.</translation></message>
<message><source>What is trained?</source><translation>Was wird geübt?</translation></message>
<message><source>repetitions</source><translation>Wiederholungen</translation></message>
<message><source>No target is set. Repetitions are counted for each activity.</source><translation>Kein Ziel ist gesetzt. Wiederholungen werden je Aufgabe gezählt.</translation></message>
<message><source>In all {n} repetition.</source><translation>Insgesamt {n} Wiederholung.</translation></message>
<message><source>In all {n} repetitions.</source><translation>Insgesamt {n} Wiederholungen.</translation></message>
<message><source>Both arms and the whole trunk. Counts are surest, and both arms are compared. Takes longest.</source><translation>Beide Arme und der ganze Rumpf. Die Zählung ist am sichersten, beide Arme werden verglichen. Dauert am längsten.</translation></message>
<message><source>The affected arm in full, the trunk, and how much the other arm is used.</source><translation>Der betroffene Arm ganz, der Rumpf, und wie viel der andere Arm gebraucht wird.</translation></message>
<message><source>Hand, upper arm and trunk. What the elbow does is inferred, so counts are less sure.</source><translation>Hand, Oberarm und Rumpf. Was der Ellbogen tut, wird erschlossen; die Zählung ist weniger sicher.</translation></message>
<message><source>The wrist alone. Many movements look alike from there, and the trunk is not seen.</source><translation>Nur das Handgelenk. Viele Bewegungen sehen von dort gleich aus, und der Rumpf fehlt.</translation></message>
<message><source>The chosen model cannot count with so few.</source><translation>Das gewählte Modell kann mit so wenigen nicht zählen.</translation></message>
<message><source>Drag a sensor to its place, or find each one by lifting the limb it is on.</source><translation>Ziehen Sie einen Sensor an seinen Platz, oder finden Sie jeden durch Heben der Gliedmaße.</translation></message>
<message><source>All are there. Strap them on as the picture shows, then go on.</source><translation>Alle sind da. Anlegen, wie das Bild zeigt, dann weiter.</translation></message>
<message><source>This Bluetooth adapter carries no more sensors. Plug in a second one, or use fewer sensors.</source><translation>Dieser Bluetooth-Adapter trägt keine weiteren Sensoren. Stecken Sie einen zweiten ein, oder nehmen Sie weniger Sensoren.</translation></message>
<message><source>Switch the sensors on. Those of last time come in by themselves.</source><translation>Schalten Sie die Sensoren ein. Die vom letzten Mal kommen von selbst.</translation></message>
<message><source>Connecting takes a few seconds for each.</source><translation>Das Verbinden dauert je einige Sekunden.</translation></message>
<message><source>Drag it to its place on the body.</source><translation>An seinen Platz am Körper ziehen.</translation></message>
<message><source>How many sensors?</source><translation>Wie viele Sensoren?</translation></message>
<message><source>Find them by lifting</source><translation>Durch Heben finden</translation></message>
<message><source>Skip this one</source><translation>Diesen auslassen</translation></message>
<message><source>Find it by lifting</source><translation>Durch Heben finden</translation></message>
<message><source>The simulated patient is waking up …</source><translation>Der simulierte Patient wacht auf …</translation></message>
<message><source>Opening the radio …</source><translation>Funk wird geöffnet …</translation></message>
<message><source>How they are worn</source><translation>Wie man sie trägt</translation></message>
<message><source>Make it blink</source><translation>Blinken lassen</translation></message>
<message><source>Take {sensor} off</source><translation>{sensor} abnehmen</translation></message>
<message><source>It is {sensor}</source><translation>Es ist {sensor}</translation></message>
<message><source>Set-up</source><translation>Vorbereitung</translation></message>
<message><source>What is trained today?</source><translation>Was wird heute geübt?</translation></message>
<message><source>There is no model to count with.</source><translation>Es gibt kein Modell zum Zählen.</translation></message>
<message><source>the next step</source><translation>der nächste Schritt</translation></message>
<message><source>on a place: what can be done there</source><translation>auf einem Platz: was sich dort tun lässt</translation></message>
<message><source>Sensors</source><translation>Sensoren</translation></message>
<message><source>Plan</source><translation>Plan</translation></message>
<message><source>Calibration</source><translation>Kalibrierung</translation></message>
<message><source>The best number of repetitions is not known. Targets are yours to set, or to leave empty.</source><translation>Wie viele Wiederholungen am besten sind, weiß niemand. Ziele setzen Sie, oder Sie lassen sie leer.</translation></message>
<message><source>Next: plan</source><translation>Weiter: Plan</translation></message>
<message><source>Next: calibration</source><translation>Weiter: Kalibrierung</translation></message>
<message><source>Counting needs a sensor on: {parts}</source><translation>Zum Zählen fehlt ein Sensor an: {parts}</translation></message>
<message><source>Step {number}: {words}</source><translation>Schritt {number}: {words}</translation></message>
<message><source>Calibrating …</source><translation>Wird kalibriert …</translation></message>
<message><source>{side} arm</source><translation>Arm {side}</translation></message>
<message><source>Begin calibration</source><translation>Kalibrierung beginnen</translation></message>
<message><source>Repeat</source><translation>Wiederholen</translation></message>
<message><source>Go on all the same</source><translation>Trotzdem weiter</translation></message>
<message><source>To the session</source><translation>Zur Sitzung</translation></message>
<message><source>The plan can be set meanwhile; the calibration waits for the sensors.</source><translation>Der Plan lässt sich schon festlegen; die Kalibrierung wartet auf die Sensoren.</translation></message>
<message><source>You left the set-up; no session was begun.</source><translation>Sie haben die Vorbereitung verlassen; es wurde keine Sitzung begonnen.</translation></message>
<message><source>The plan is kept.</source><translation>Der Plan ist gespeichert.</translation></message>
<message><source>The plan is not kept: {why}</source><translation>Der Plan ist nicht gespeichert: {why}</translation></message>
<message><source>Where the sensors sit is kept; they connect again by themselves.</source><translation>Wo die Sensoren sitzen, ist gespeichert; sie verbinden sich wieder von selbst.</translation></message>
<message><source>The calibration is not kept: it is made anew for each session.</source><translation>Die Kalibrierung ist nicht gespeichert: Sie wird für jede Sitzung neu gemacht.</translation></message>
<message><source>MetaMotion: live it needs the maker's own library. Its files can be imported: rehabcount import.</source><translation>ein MetaMotion: Live braucht er die Bibliothek des Herstellers. Seine Dateien lassen sich einlesen: rehabcount import.</translation></message>
<message><source>a vibration sensor of WitMotion: it does not measure motion. Take a WT901BLE.</source><translation>ein Vibrationssensor von WitMotion: Er misst keine Bewegung. Nehmen Sie einen WT901BLE.</translation></message>
<message><source>Movesense: its protocol is not built in. Take one of docs/sensors.md.</source><translation>ein Movesense: Sein Protokoll ist nicht eingebaut. Nehmen Sie einen aus docs/sensors.md.</translation></message>
<message><source>{sensor} cannot be used. It is {why}</source><translation>{sensor} kann nicht benutzt werden. Es ist {why}</translation></message>
<message><source>{names}: nothing came any more.</source><translation>{names}: Es kam nichts mehr.</translation></message>
<message><source>Check strap and battery, and bring it closer. It reconnects by itself.</source><translation>Band und Akku prüfen und näher kommen. Die Verbindung kommt von selbst wieder.</translation></message>
<message><source>{step}: failed</source><translation>{step}: misslungen</translation></message>
<message><source>No session can be kept.</source><translation>Es kann keine Sitzung gespeichert werden.</translation></message>
<message><source>No sensor is connected. Switch the sensors on and bring them closer.</source><translation>Kein Sensor ist verbunden. Schalten Sie die Sensoren ein und bringen Sie sie näher.</translation></message>
<message><source>All are there. The simulated patient wears them already; go on.</source><translation>Alle sind da. Der simulierte Patient trägt sie schon; weiter.</translation></message>
</context>
</TS>
