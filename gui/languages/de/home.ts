<?xml version="1.0" encoding="utf-8"?>
<TS version="2.1" language="de">
<context>
<name>rehabcount</name>
<message><source>being recorded</source><translation>wird aufgezeichnet</translation></message>
<message><source>interrupted</source><translation>unterbrochen</translation></message>
<message><source>cannot be read</source><translation>nicht lesbar</translation></message>
<message><source>file is missing</source><translation>Datei fehlt</translation></message>
<message><source>{n} sensor</source><translation>{n} Sensor</translation></message>
<message><source>{n} sensors</source><translation>{n} Sensoren</translation></message>
<message><source>initials</source><translation>Kürzel</translation></message>
<message><source>Initials of who is working</source><translation>Kürzel der Person, die arbeitet</translation></message>
<message><source>Your initials are kept with every correction.</source><translation>Ihr Kürzel steht bei jeder Korrektur.</translation></message>
<message><source>Search code or notes</source><translation>Code oder Notizen suchen</translation></message>
<message><source>Patients</source><translation>Patienten</translation></message>
<message><source>New patient</source><translation>Neuer Patient</translation></message>
<message><source>Open a recording</source><translation>Aufnahme öffnen</translation></message>
<message><source>Show its results …</source><translation>Ergebnisse zeigen …</translation></message>
<message><source>Count it as if it happened now …</source><translation>Zählen, als geschähe es jetzt …</translation></message>
<message><source>Review</source><translation>Durchsehen</translation></message>
<message><source>Results</source><translation>Ergebnisse</translation></message>
<message><source>Wrong patient?</source><translation>Falscher Patient?</translation></message>
<message><source>No session yet.</source><translation>Noch keine Sitzung.</translation></message>
<message><source>Reading the sessions: {looked} of {new}</source><translation>Sitzungen werden gelesen: {looked} von {new}</translation></message>
<message><source>This session is of</source><translation>Diese Sitzung ist von</translation></message>
<message><source>Sessions (*.rehab)</source><translation>Sitzungen (*.rehab)</translation></message>
<message><source>Demo patient</source><translation>Demo-Patient</translation></message>
<message><source>Recover it</source><translation>Wiederherstellen</translation></message>
<message><source>Recovering …</source><translation>Wird wiederhergestellt …</translation></message>
<message><source>simulated</source><translation>simuliert</translation></message>
<message><source>search for a patient</source><translation>einen Patienten suchen</translation></message>
<message><source>new patient</source><translation>neuer Patient</translation></message>
<message><source>new session with the chosen patient</source><translation>neue Sitzung mit dem gewählten Patienten</translation></message>
<message><source>Working today:</source><translation>Heute arbeitet:</translation></message>
<message><source>Give it to this patient</source><translation>Diesem Patienten geben</translation></message>
<message><source>There is no other patient to give it to.</source><translation>Es gibt keinen anderen Patienten.</translation></message>
<message><source>an unknown patient</source><translation>einem unbekannten Patienten</translation></message>
<message><source>The session of {who} ({when}, {length}) was interrupted. Everything until then is kept.</source><translation>Die Sitzung von {who} ({when}, {length}) wurde unterbrochen. Alles bis dahin ist erhalten.</translation></message>
<message><source>{n} more waits.</source><translation>{n} weitere wartet.</translation></message>
<message><source>{n} more wait.</source><translation>{n} weitere warten.</translation></message>
<message><source>{length} active</source><translation>{length} aktiv</translation></message>
<message><source>Sessions without a patient</source><translation>Sitzungen ohne Patienten</translation></message>
<message><source>recordings without a known patient</source><translation>Aufnahmen ohne bekannten Patienten</translation></message>
<message><source>The session is now {code}'s.</source><translation>Die Sitzung gehört jetzt zu {code}.</translation></message>
<message><source>{n} repetition</source><translation>{n} Wiederholung</translation></message>
<message><source>{n} repetitions</source><translation>{n} Wiederholungen</translation></message>
<message><source>{hours} h {minutes:02d} min</source><translation>{hours} h {minutes:02d} min</translation></message>
<message><source>today {time}</source><translation>heute {time}</translation></message>
<message><source>yesterday {time}</source><translation>gestern {time}</translation></message>
<message><source>{n} s</source><translation>{n} s</translation></message>
<message><source>{n} min</source><translation>{n} min</translation></message>
<message><source>simulated, needs no sensors</source><translation>simuliert, braucht keine Sensoren</translation></message>
<message><source>{side} arm affected</source><translation>Arm {side} betroffen</translation></message>
<message><source>Fugl-Meyer {score} of {most}</source><translation>Fugl-Meyer {score} von {most}</translation></message>
<message><source>a code, not a name</source><translation>ein Code, kein Name</translation></message>
<message><source>Code</source><translation>Code</translation></message>
<message><source>What helps in the next session. No names.</source><translation>Was in der nächsten Sitzung hilft. Keine Namen.</translation></message>
<message><source>Notes</source><translation>Notizen</translation></message>
<message><source>Save</source><translation>Speichern</translation></message>
<message><source>not known</source><translation>nicht bekannt</translation></message>
<message><source>Fugl-Meyer score of the arm, 0 to 66</source><translation>Fugl-Meyer-Wert des Arms, 0 bis 66</translation></message>
<message><source>Day of the score</source><translation>Tag der Messung</translation></message>
<message><source>on</source><translation>am</translation></message>
<message><source>Delete everything</source><translation>Alles löschen</translation></message>
<message><source>Keep</source><translation>Behalten</translation></message>
<message><source>New session</source><translation>Neue Sitzung</translation></message>
<message><source>Change</source><translation>Ändern</translation></message>
<message><source>Delete</source><translation>Löschen</translation></message>
<message><source>Affected arm</source><translation>Betroffener Arm</translation></message>
<message><source>Fugl-Meyer score</source><translation>Fugl-Meyer-Wert</translation></message>
<message><source>A patient needs a code.</source><translation>Ein Patient braucht einen Code.</translation></message>
<message><source>Which arm is affected?</source><translation>Welcher Arm ist betroffen?</translation></message>
<message><source>A simulated patient with virtual sensors. Nothing is real, and no hardware is needed.</source><translation>Ein simulierter Patient mit virtuellen Sensoren. Nichts ist echt, und es braucht keine Geräte.</translation></message>
<message><source>Try it now</source><translation>Jetzt ausprobieren</translation></message>
<message><source>Change patient</source><translation>Patient ändern</translation></message>
<message><source>This code has characters that cannot be seen. Type it anew.</source><translation>Dieser Code hat unsichtbare Zeichen. Bitte neu eintippen.</translation></message>
<message><source>Type {code} to confirm:</source><translation>Zur Bestätigung {code} eintippen:</translation></message>
<message><source>Delete {code}?</source><translation>{code} löschen?</translation></message>
<message><source>This removes the patient, all plans and {sessions} with every file of them, for good. A backup made before still holds them.</source><translation>Das entfernt den Patienten, alle Pläne und {sessions} mit allen Dateien, endgültig. Eine frühere Sicherung enthält sie noch.</translation></message>
<message><source>No patient matches the search.</source><translation>Die Suche findet niemanden.</translation></message>
<message><source>The session is recovered and counted.</source><translation>Die Sitzung ist wiederhergestellt und gezählt.</translation></message>
<message><source>The session of {who} ({when}) is recovered and counted: {length}, {repetitions}.</source><translation>Die Sitzung von {who} ({when}) ist wiederhergestellt und gezählt: {length}, {repetitions}.</translation></message>
<message><source>Simulated data: no patient made these movements. They stay with the demo patient.</source><translation>Simulierte Daten: Kein Patient hat sich so bewegt. Sie bleiben beim Demo-Patienten.</translation></message>
<message><source>This removes the session of {who} ({when}, {length}) with its report and every other file of it, for good. A backup made before still holds it.</source><translation>Das entfernt die Sitzung von {who} ({when}, {length}) mit Bericht und allen weiteren Dateien, endgültig. Eine frühere Sicherung enthält sie noch.</translation></message>
<message><source>Delete this session?</source><translation>Diese Sitzung löschen?</translation></message>
<message><source>Delete the session</source><translation>Sitzung löschen</translation></message>
<message><source>The session is deleted.</source><translation>Die Sitzung ist gelöscht.</translation></message>
<message><source>delete the chosen patient or session, after a question</source><translation>Gewählten Patienten oder gewählte Sitzung löschen, nach einer Frage</translation></message>
<message><source>delete the session, after a question</source><translation>Sitzung löschen, nach einer Frage</translation></message>
<message><source>Enter your initials to start. They are kept with every correction.</source><translation>Geben Sie Ihr Kürzel ein, um zu beginnen. Es steht bei jeder Korrektur.</translation></message>
</context>
</TS>
