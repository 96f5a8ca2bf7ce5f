<?xml version="1.0" encoding="utf-8"?>
<TS version="2.1" language="de">
<context>
<name>rehabcount</name>
<message><source>What it is for</source><translation>Wozu es dient</translation></message>
<message><source>rehabcount counts functional arm movements of people after stroke, live, from sensors that they wear, and shows how much was practised.</source><translation>rehabcount zählt funktionelle Armbewegungen von Menschen nach Schlaganfall, live, mit Sensoren, die sie tragen, und zeigt, wie viel geübt wurde.</translation></message>
<message><source>Research use only. It is not a medical device, neither CE-marked nor cleared by the FDA. Counts are estimates and must not alone decide on diagnosis or treatment.</source><translation>Nur für die Forschung. Es ist kein Medizinprodukt und hat weder CE-Kennzeichnung noch Zulassung der FDA. Zählungen sind Schätzungen und dürfen nicht allein über Diagnose oder Behandlung entscheiden.</translation></message>
<message><source>Use it with patients only under ethics approval or the governance of your clinic.</source><translation>Verwenden Sie es mit Patienten nur mit Ethikvotum oder nach den Regeln Ihrer Klinik.</translation></message>
<message><source>All data stays on this computer. Nothing is sent anywhere.</source><translation>Alle Daten bleiben auf diesem Computer. Nichts wird versendet.</translation></message>
<message><source>Free software under the GNU General Public License, version 3 or later.</source><translation>Freie Software unter der GNU General Public License, Version 3 oder neuer.</translation></message>
<message><source>What is counted</source><translation>Was gezählt wird</translation></message>
<message><source>The model</source><translation>Das Modell</translation></message>
<message><source>The arm waits, nearly still, close to what it will act on. Kept as time, not as a count.</source><translation>Der Arm wartet, fast ruhig, nahe bei dem, womit er etwas tun wird. Zählt als Zeit, nicht als Anzahl.</translation></message>
<message><source>The arm moves to make contact with an object; it ends at the touch.</source><translation>Der Arm bewegt sich zu einem Gegenstand; es endet mit der Berührung.</translation></message>
<message><source>The empty hand moves to a new place, or back to rest, without making contact.</source><translation>Die leere Hand bewegt sich an einen neuen Ort oder zurück zur Ruhe, ohne etwas zu berühren.</translation></message>
<message><source>The arm holds an object still, with next to no movement.</source><translation>Der Arm hält einen Gegenstand ruhig, fast ohne Bewegung.</translation></message>
<message><source>The arm conveys an object through space.</source><translation>Der Arm bewegt einen Gegenstand durch den Raum.</translation></message>
<message><source>Movement that is not exercise. Never counted.</source><translation>Bewegung, die keine Übung ist. Wird nie gezählt.</translation></message>
<message><source>A task repetition is one cycle of handling an object, from contact to release. It is made of:</source><translation>Eine Wiederholung ist ein Durchgang mit einem Gegenstand, von der Berührung bis zum Loslassen. Sie besteht aus:</translation></message>
<message><source>No model is there that could count. Put one into the folder of models; see Settings.</source><translation>Es gibt kein Modell, das zählen könnte. Legen Sie eines in den Ordner der Modelle; siehe Einstellungen.</translation></message>
<message><source>Accuracy on patients is unknown: it was not measured on patients.</source><translation>Wie genau es bei Patienten ist, ist unbekannt: An Patienten wurde nicht gemessen.</translation></message>
<message><source>Evidence</source><translation>Nachweis</translation></message>
<message><source>Made for</source><translation>Gemacht für</translation></message>
<message><source>Limits</source><translation>Grenzen</translation></message>
<message><source>Says</source><translation>Unterscheidet</translation></message>
<message><source>Does not count</source><translation>Zählt nicht</translation></message>
<message><source>Needs a sensor on</source><translation>Braucht einen Sensor an</translation></message>
<message><source>Delay</source><translation>Verzögerung</translation></message>
<message><source>Learned from</source><translation>Gelernt aus</translation></message>
<message><source>Licence</source><translation>Lizenz</translation></message>
<message><source>Fingerprint</source><translation>Fingerabdruck</translation></message>
<message><source>The model: {name} {version}</source><translation>Das Modell: {name} {version}</translation></message>
<message><source>How well it did</source><translation>Wie gut es war</translation></message>
<message><source>About rehabcount {version}</source><translation>Über rehabcount {version}</translation></message>
<message><source>at most {s} s from a movement to its count</source><translation>höchstens {s} s von einer Bewegung bis zu ihrer Zählung</translation></message>
<message><source>{name}: {people} people, {hours} hours</source><translation>{name}: {people} Personen, {hours} Stunden</translation></message>
<message><source>verified</source><translation>geprüft</translation></message>
<message><source>simulated patients only; accuracy on patients is unknown</source><translation>nur simulierte Patienten; die Genauigkeit bei Patienten ist unbekannt</translation></message>
<message><source>real healthy people ({n})</source><translation>echte gesunde Personen ({n})</translation></message>
<message><source>real patients ({n})</source><translation>echte Patienten ({n})</translation></message>
<message><source>Look</source><translation>Aussehen</translation></message>
<message><source>Like the system</source><translation>Wie das System</translation></message>
<message><source>Light</source><translation>Hell</translation></message>
<message><source>Dark</source><translation>Dunkel</translation></message>
<message><source>High contrast</source><translation>Hoher Kontrast</translation></message>
<message><source>Who is working</source><translation>Wer arbeitet</translation></message>
<message><source>A quiet sound for every repetition</source><translation>Ein leiser Ton bei jeder Wiederholung</translation></message>
<message><source>Sensors and model</source><translation>Sensoren und Modell</translation></message>
<message><source>Model that counts</source><translation>Modell, das zählt</translation></message>
<message><source>Read its card</source><translation>Karte lesen</translation></message>
<message><source>The newest {name}, else the first that opens</source><translation>Das neueste {name}, sonst das erste brauchbare</translation></message>
<message><source>{model} (not there)</source><translation>{model} (nicht da)</translation></message>
<message><source>The model {model} is not there or is refused. Choose another one.</source><translation>Das Modell {model} ist nicht da oder wird abgelehnt. Wählen Sie ein anderes.</translation></message>
<message><source>It did not come with rehabcount.</source><translation>Es wurde nicht mit rehabcount geliefert.</translation></message>
<message><source>Comes from</source><translation>Herkunft</translation></message>
<message><source>this rehabcount</source><translation>dieses rehabcount</translation></message>
<message><source>elsewhere: it was not shipped</source><translation>anderswo: nicht mitgeliefert</translation></message>
<message><source>Data</source><translation>Daten</translation></message>
<message><source>Open</source><translation>Öffnen</translation></message>
<message><source>Use another folder</source><translation>Anderen Ordner verwenden</translation></message>
<message><source>Make a backup</source><translation>Sicherung anlegen</translation></message>
<message><source>Restore a backup</source><translation>Sicherung zurückholen</translation></message>
<message><source>Progress of the backup</source><translation>Fortschritt der Sicherung</translation></message>
<message><source>Backups (*.zip)</source><translation>Sicherungen (*.zip)</translation></message>
<message><source>The backup holds {n} session.</source><translation>Die Sicherung enthält {n} Sitzung.</translation></message>
<message><source>The backup holds {n} sessions.</source><translation>Die Sicherung enthält {n} Sitzungen.</translation></message>
<message><source>Colours</source><translation>Farben</translation></message>
<message><source>Text size</source><translation>Schriftgröße</translation></message>
<message><source>Language</source><translation>Sprache</translation></message>
<message><source>A set-up begins with</source><translation>Die Vorbereitung beginnt mit</translation></message>
<message><source>Everything stays in this folder on this computer, readable by you alone.</source><translation>Alles bleibt in diesem Ordner auf diesem Computer, nur für Sie lesbar.</translation></message>
<message><source>A backup is one file with all patients and sessions. Restoring only adds what is missing.</source><translation>Eine Sicherung ist eine Datei mit allen Patienten und Sitzungen. Zurückholen ergänzt nur, was fehlt.</translation></message>
<message><source>From now on this folder is used. What lies in the old one stays there.</source><translation>Ab jetzt wird dieser Ordner verwendet. Was im alten liegt, bleibt dort.</translation></message>
<message><source>{n} patient</source><translation>{n} Patient</translation></message>
<message><source>{n} patients</source><translation>{n} Patienten</translation></message>
<message><source>No model is there that could count. Put one into this folder: {folder}</source><translation>Es gibt kein Modell, das zählen könnte. Legen Sie eines in diesen Ordner: {folder}</translation></message>
<message><source>{name} {version}, verified. Evidence: {evidence}.</source><translation>{name} {version}, geprüft. Nachweis: {evidence}.</translation></message>
<message><source>Left out because they cannot be read: {names}.</source><translation>Ausgelassen, weil nicht lesbar: {names}.</translation></message>
<message><source>Restored: {what}. The rest was here.</source><translation>Zurückgeholt: {what}. Der Rest war schon da.</translation></message>
<message><source>{n} simulated people after stroke</source><translation>{n} simulierte Menschen nach Schlaganfall</translation></message>
<message><source>{n} further simulated people after stroke</source><translation>{n} weitere simulierte Menschen nach Schlaganfall</translation></message>
<message><source>{n} simulated people with a severely affected arm</source><translation>{n} simulierte Menschen mit schwer betroffenem Arm</translation></message>
<message><source>{n} simulated healthy people</source><translation>{n} simulierte gesunde Menschen</translation></message>
<message><source>whole sessions, with the pauses</source><translation>ganze Sitzungen mit den Pausen</translation></message>
<message><source>one of all sensors lost</source><translation>einer von allen Sensoren verloren</translation></message>
<message><source>3 sensors: {parts}</source><translation>3 Sensoren: {parts}</translation></message>
<message><source>{words} (English on the card)</source><translation>{words} (auf der Karte englisch)</translation></message>
<message><source>errors in 100 movements</source><translation>Fehler auf 100 Bewegungen</translation></message>
<message><source>counted for 100 made</source><translation>gezählt je 100 gemachte</translation></message>
<message><source>false counts an hour in the pauses: {n}</source><translation>falsche Zählungen je Stunde in den Pausen: {n}</translation></message>
<message><source>In brackets: where the true value lies with 95 % confidence.</source><translation>In Klammern: wo der wahre Wert mit 95 % Sicherheit liegt.</translation></message>
<message><source>any place</source><translation>beliebiger Stelle</translation></message>
</context>
</TS>
