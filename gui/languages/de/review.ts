<?xml version="1.0" encoding="utf-8"?>
<TS version="2.1" language="de">
<context>
<name>rehabcount</name>
<message><source>Time course</source><translation>Zeitverlauf</translation></message>
<message><source>By activity</source><translation>Nach Aufgabe</translation></message>
<message><source>{number} of {total}, {length}</source><translation>{number} von {total}, {length}</translation></message>
<message><source>{number} of {total}</source><translation>{number} von {total}</translation></message>
<message><source>Patient</source><translation>Patient</translation></message>
<message><source>Table (CSV)</source><translation>Tabelle (CSV)</translation></message>
<message><source>One line for each session (CSV)</source><translation>Eine Zeile je Sitzung (CSV)</translation></message>
<message><source>Sessions</source><translation>Sitzungen</translation></message>
<message><source>Date</source><translation>Datum</translation></message>
<message><source>Task repetitions</source><translation>Aufgabenwiederholungen</translation></message>
<message><source>Active time</source><translation>Aktive Zeit</translation></message>
<message><source>With assistance</source><translation>Mit Hilfe</translation></message>
<message><source>Corrections</source><translation>Korrekturen</translation></message>
<message><source>Counted by</source><translation>Gezählt von</translation></message>
<message><source>{n} session</source><translation>{n} Sitzung</translation></message>
<message><source>{n} sessions</source><translation>{n} Sitzungen</translation></message>
<message><source>along the sessions</source><translation>durch die Sitzungen</translation></message>
<message><source>open the session</source><translation>Sitzung öffnen</translation></message>
<message><source>Active minutes</source><translation>Aktive Minuten</translation></message>
<message><source>Primitives</source><translation>Grundbewegungen</translation></message>
<message><source>Reading the sessions …</source><translation>Sitzungen werden gelesen …</translation></message>
<message><source>No sessions yet. When one is over, it appears here.</source><translation>Noch keine Sitzungen. Ist eine zu Ende, erscheint sie hier.</translation></message>
<message><source>Dashed line: the target of the day.</source><translation>Gestrichelte Linie: das Ziel des Tages.</translation></message>
<message><source>Speckled: simulated, no person was measured.</source><translation>Gesprenkelt: simuliert, keine Person wurde gemessen.</translation></message>
<message><source>Patient not said</source><translation>Patient nicht angegeben</translation></message>
<message><source>Triangle: a change that is more than measurement error (95 %).</source><translation>Dreieck: eine Änderung, die größer ist als der Messfehler (95 %).</translation></message>
<message><source>(simulated)</source><translation>(simuliert)</translation></message>
<message><source>How large a change must be to be more than measurement error is not known; none is marked.</source><translation>Ab wann eine Änderung größer ist als der Messfehler, ist nicht bekannt; keine ist markiert.</translation></message>
<message><source>Saved as {path}</source><translation>Gespeichert als {path}</translation></message>
<message><source>Sound at each repetition</source><translation>Ton bei jeder Wiederholung</translation></message>
<message><source>Signals (S)</source><translation>Signale (S)</translation></message>
<message><source>Patient view (P)</source><translation>Patientenansicht (P)</translation></message>
<message><source>Next activity</source><translation>Nächste Aufgabe</translation></message>
<message><source>I am assisting</source><translation>Ich helfe</translation></message>
<message><source>Mark</source><translation>Markieren</translation></message>
<message><source>End</source><translation>Ende</translation></message>
<message><source>Acceleration, x blue, y orange, z green; ±2 g</source><translation>Beschleunigung, x blau, y orange, z grün; ±2 g</translation></message>
<message><source>One repetition fewer</source><translation>Eine Wiederholung weniger</translation></message>
<message><source>One repetition more</source><translation>Eine Wiederholung mehr</translation></message>
<message><source>Session report</source><translation>Sitzungsbericht</translation></message>
<message><source>task repetitions</source><translation>Wiederholungen</translation></message>
<message><source>no target was set</source><translation>kein Ziel gesetzt</translation></message>
<message><source>data missing, all sensors</source><translation>fehlende Daten, alle Sensoren</translation></message>
<message><source>time</source><translation>Zeit</translation></message>
<message><source>count</source><translation>Anzahl</translation></message>
<message><source>Data and recogniser</source><translation>Daten und Erkennung</translation></message>
<message><source>and {n} more</source><translation>und {n} weitere</translation></message>
<message><source>Simulated data: no person was measured.</source><translation>Simulierte Daten: Keine Person wurde gemessen.</translation></message>
<message><source>active time of the arm</source><translation>aktive Zeit des Arms</translation></message>
<message><source>primitives counted</source><translation>gezählte Grundbewegungen</translation></message>
<message><source>active time, this arm : the other arm</source><translation>aktive Zeit, dieser Arm : der andere Arm</translation></message>
<message><source>with assistance</source><translation>mit Hilfe</translation></message>
<message><source>alone</source><translation>selbstständig</translation></message>
<message><source>Primitives, {side} arm</source><translation>Grundbewegungen, Arm {side}</translation></message>
<message><source>{n} more note is in the table.</source><translation>{n} weitere Notiz steht in der Tabelle.</translation></message>
<message><source>{n} more notes are in the table.</source><translation>{n} weitere Notizen stehen in der Tabelle.</translation></message>
<message><source>rehabcount {version}, printed {when}</source><translation>rehabcount {version}, gedruckt {when}</translation></message>
<message><source>{number} of {target} planned</source><translation>{number} von {target} geplant</translation></message>
<message><source>{seconds} s</source><translation>{seconds} s</translation></message>
<message><source>No activity was named.</source><translation>Keine Aufgabe wurde benannt.</translation></message>
<message><source>with assistance ({count})</source><translation>mit Hilfe ({count})</translation></message>
<message><source>counted without help; paused {paused}</source><translation>gezählt ohne Hilfe; Pause {paused}</translation></message>
<message><source>automatic</source><translation>automatisch</translation></message>
<message><source>ELAN files (*.eaf)</source><translation>ELAN-Dateien (*.eaf)</translation></message>
<message><source>Play</source><translation>Abspielen</translation></message>
<message><source>Zoom in (+)</source><translation>Vergrößern (+)</translation></message>
<message><source>Zoom out (-)</source><translation>Verkleinern (-)</translation></message>
<message><source>Whole session (F)</source><translation>Ganze Sitzung (F)</translation></message>
<message><source>Undo (Ctrl+Z)</source><translation>Rückgängig (Strg+Z)</translation></message>
<message><source>Redo (Ctrl+Y)</source><translation>Wiederholen (Strg+Y)</translation></message>
<message><source>Your initials</source><translation>Ihr Kürzel</translation></message>
<message><source>Corrections are kept under these initials.</source><translation>Korrekturen stehen unter diesem Kürzel.</translation></message>
<message><source>Initials</source><translation>Kürzel</translation></message>
<message><source>Compare with</source><translation>Vergleichen mit</translation></message>
<message><source>Compare with another count of this session</source><translation>Mit einer anderen Zählung dieser Sitzung vergleichen</translation></message>
<message><source>Reading the session …</source><translation>Sitzung wird gelesen …</translation></message>
<message><source>Choose an event first: click it, or press an arrow key.</source><translation>Wählen Sie zuerst ein Ereignis: anklicken oder eine Pfeiltaste drücken.</translation></message>
<message><source>There is no event here.</source><translation>Hier ist kein Ereignis.</translation></message>
<message><source>There is an event here already: split it, or change what it is.</source><translation>Hier ist schon ein Ereignis: teilen oder ändern.</translation></message>
<message><source>There is no room for an event here.</source><translation>Hier ist kein Platz für ein Ereignis.</translation></message>
<message><source>There is no event after it to merge with.</source><translation>Danach kommt kein Ereignis zum Verbinden.</translation></message>
<message><source>There is no doubtful event left on this arm.</source><translation>An diesem Arm ist kein unsicheres Ereignis mehr.</translation></message>
<message><source>Compare with …</source><translation>Vergleichen mit …</translation></message>
<message><source>Import from ELAN</source><translation>Aus ELAN einlesen</translation></message>
<message><source>This session was not counted yet; there is nothing to correct.</source><translation>Diese Sitzung wurde noch nicht gezählt; es gibt nichts zu korrigieren.</translation></message>
<message><source>Say who you are first: corrections are kept with your initials.</source><translation>Sagen Sie zuerst, wer Sie sind: Korrekturen stehen unter Ihrem Kürzel.</translation></message>
<message><source>Stop</source><translation>Anhalten</translation></message>
<message><source>count {number} ({hash})</source><translation>Zählung {number} ({hash})</translation></message>
<message><source>count again: {name}</source><translation>neu zählen: {name}</translation></message>
<message><source>Counting again …</source><translation>Wird neu gezählt …</translation></message>
<message><source>{file} does not say for which session and counting its labels were made. Are they of this one?</source><translation>{file} sagt nicht, für welche Sitzung und Zählung die Beschriftungen gemacht wurden. Gehören sie zu dieser?</translation></message>
<message><source>Take them</source><translation>Übernehmen</translation></message>
<message><source>play and stop</source><translation>abspielen und anhalten</translation></message>
<message><source>slower, faster</source><translation>langsamer, schneller</translation></message>
<message><source>to the event before, to the next; with Shift more are chosen</source><translation>zum vorigen, zum nächsten Ereignis; mit Umschalt werden mehrere gewählt</translation></message>
<message><source>to the next event that the recogniser was not sure of</source><translation>zum nächsten Ereignis, bei dem die Erkennung unsicher war</translation></message>
<message><source>to the other arm</source><translation>zum anderen Arm</translation></message>
<message><source>the cursor a tenth of a second back, on</source><translation>Zeiger eine Zehntelsekunde zurück, vor</translation></message>
<message><source>the cursor five seconds back, on</source><translation>Zeiger fünf Sekunden zurück, vor</translation></message>
<message><source>zoom in, out, to the whole session; Ctrl with an arrow pans</source><translation>vergrößern, verkleinern, ganze Sitzung; Strg mit Pfeil verschiebt</translation></message>
<message><source>the chosen event is an idle, a reach, …</source><translation>das gewählte Ereignis ist Ruhe, Greifen, …</translation></message>
<message><source>add an event at the cursor</source><translation>ein Ereignis am Zeiger hinzufügen</translation></message>
<message><source>split at the cursor, merge with the next, delete</source><translation>am Zeiger teilen, mit dem nächsten verbinden, löschen</translation></message>
<message><source>the chosen event starts, ends at the cursor</source><translation>das gewählte Ereignis beginnt, endet am Zeiger</translation></message>
<message><source>the event is right; on to the next</source><translation>das Ereignis stimmt; weiter zum nächsten</translation></message>
<message><source>undo, redo</source><translation>rückgängig, wiederholen</translation></message>
<message><source>confirmed</source><translation>bestätigt</translation></message>
<message><source>removed</source><translation>entfernt</translation></message>
<message><source>changed</source><translation>geändert</translation></message>
<message><source>added</source><translation>hinzugefügt</translation></message>
<message><source>taken back</source><translation>zurückgenommen</translation></message>
<message><source>Counts</source><translation>Anzahlen</translation></message>
<message><source>Take back</source><translation>Zurücknehmen</translation></message>
<message><source>For when the events are corrected, so that nothing is counted twice.</source><translation>Wenn die Ereignisse korrigiert sind, damit nichts doppelt zählt.</translation></message>
<message><source>Chosen</source><translation>Gewählt</translation></message>
<message><source>Added by a person.</source><translation>Von einer Person hinzugefügt.</translation></message>
<message><source>The automatic count was not checked.</source><translation>Die automatische Zählung wurde nicht geprüft.</translation></message>
<message><source>Nothing chosen</source><translation>Nichts gewählt</translation></message>
<message><source>Click an event, or press the right arrow key.</source><translation>Klicken Sie ein Ereignis an, oder drücken Sie die rechte Pfeiltaste.</translation></message>
<message><source>corrected</source><translation>korrigiert</translation></message>
<message><source>compared</source><translation>verglichen</translation></message>
<message><source>By hand during the session: {number}.</source><translation>Von Hand während der Sitzung: {number}.</translation></message>
<message><source>{n} events</source><translation>{n} Ereignisse</translation></message>
<message><source>Confidence {share}.</source><translation>Sicherheit {share}.</translation></message>
<message><source>{share} of the automatic events stand unchanged.</source><translation>{share} der automatischen Ereignisse blieben unverändert.</translation></message>
<message><source>More</source><translation>Mehr</translation></message>
<message><source>Export to ELAN</source><translation>Für ELAN ausgeben</translation></message>
<message><source>Import from ELAN …</source><translation>Aus ELAN einlesen …</translation></message>
<message><source>Back to the summary</source><translation>Zurück zur Übersicht</translation></message>
<message><source>Add</source><translation>Hinzufügen</translation></message>
<message><source>Split</source><translation>Teilen</translation></message>
<message><source>Merge</source><translation>Verbinden</translation></message>
<message><source>Confirm</source><translation>Bestätigen</translation></message>
<message><source>Speed</source><translation>Tempo</translation></message>
<message><source>Summary</source><translation>Übersicht</translation></message>
<message><source>Report (PDF)</source><translation>Bericht (PDF)</translation></message>
<message><source>Review and correct</source><translation>Durchsehen und korrigieren</translation></message>
<message><source>Every figure as a table (CSV)</source><translation>Alle Zahlen als Tabelle (CSV)</translation></message>
<message><source>One page to print (PDF)</source><translation>Eine Seite zum Drucken (PDF)</translation></message>
<message><source>Reassign</source><translation>Neu zuordnen</translation></message>
<message><source>Add a note about this session</source><translation>Eine Notiz zu dieser Sitzung</translation></message>
<message><source>New note</source><translation>Neue Notiz</translation></message>
<message><source>What the numbers rest on</source><translation>Worauf die Zahlen beruhen</translation></message>
<message><source>review and correct</source><translation>durchsehen und korrigieren</translation></message>
<message><source>report as PDF</source><translation>Bericht als PDF</translation></message>
<message><source>table as CSV</source><translation>Tabelle als CSV</translation></message>
<message><source>counted, without pauses and help</source><translation>gezählt, ohne Pausen und Hilfe</translation></message>
<message><source>Hatched: with assistance.</source><translation>Schraffiert: mit Hilfe.</translation></message>
<message><source>The upright line is the target.</source><translation>Der senkrechte Strich ist das Ziel.</translation></message>
<message><source>marked</source><translation>markiert</translation></message>
<message><source>Timeline</source><translation>Zeitleiste</translation></message>
<message><source>Trend over sessions</source><translation>Verlauf über Sitzungen</translation></message>
<message><source>date not known</source><translation>Datum nicht bekannt</translation></message>
<message><source>Task repetitions per minute</source><translation>Wiederholungen je Minute</translation></message>
<message><source>This session was not counted yet</source><translation>Diese Sitzung wurde noch nicht gezählt</translation></message>
<message><source>Measured on {n} real patient</source><translation>An {n} echten Patienten gemessen</translation></message>
<message><source>Measured on {n} real patients</source><translation>An {n} echten Patienten gemessen</translation></message>
<message><source>Accuracy on patients unknown: measured on simulated people only</source><translation>Genauigkeit bei Patienten unbekannt: nur an simulierten Personen gemessen</translation></message>
<message><source>Accuracy on patients unknown: measured on healthy people only</source><translation>Genauigkeit bei Patienten unbekannt: nur an gesunden Personen gemessen</translation></message>
<message><source>simulated people</source><translation>simulierte Personen</translation></message>
<message><source>real healthy people</source><translation>echte gesunde Personen</translation></message>
<message><source>real patients</source><translation>echte Patienten</translation></message>
<message><source>not stated</source><translation>nicht angegeben</translation></message>
<message><source>unnamed</source><translation>unbenannt</translation></message>
<message><source>outside any activity</source><translation>außerhalb einer Aufgabe</translation></message>
<message><source>Task repetitions per {minutes} minutes</source><translation>Wiederholungen je {minutes} Minuten</translation></message>
<message><source>{side} arm trained</source><translation>Arm {side} geübt</translation></message>
<message><source>No data are missing.</source><translation>Keine Daten fehlen.</translation></message>
<message><source>{model} (not shipped with rehabcount)</source><translation>{model} (nicht mit rehabcount geliefert)</translation></message>
<message><source>Counted by {model}.</source><translation>Gezählt von {model}.</translation></message>
<message><source>Counted by {name} ({hash}), evidence: {evidence}.</source><translation>Gezählt von {name} ({hash}), Nachweis: {evidence}.</translation></message>
<message><source>Task repetitions per {seconds} seconds</source><translation>Wiederholungen je {seconds} Sekunden</translation></message>
<message><source>Task repetitions: {automatic} automatic, {corrected} corrected{difference}.</source><translation>Wiederholungen: {automatic} automatisch, {corrected} korrigiert{difference}.</translation></message>
<message><source>{sensor}: {seconds} s missing in {gaps}</source><translation>{sensor}: {seconds} s fehlen in {gaps}</translation></message>
<message><source>{n} gap</source><translation>{n} Lücke</translation></message>
<message><source>{n} gaps</source><translation>{n} Lücken</translation></message>
<message><source>By {people}, last {when}.</source><translation>Von {people}, zuletzt {when}.</translation></message>
<message><source>Back</source><translation>Zurück</translation></message>
<message><source>Back (Esc); every correction is saved already</source><translation>Zurück (Esc); jede Korrektur ist schon gespeichert</translation></message>
<message><source>✓ Saved</source><translation>✓ Gespeichert</translation></message>
<message><source>recorded {recorded}, counted {counted}</source><translation>aufgezeichnet {recorded}, gezählt {counted}</translation></message>
<message><source>What was counted by hand counts no more. Undo brings it back.</source><translation>Was von Hand gezählt wurde, zählt nicht mehr. Rückgängig holt es zurück.</translation></message>
<message><source>Kept. But nothing is counted at this time: the counts stay as they are.</source><translation>Gespeichert. Aber zu dieser Zeit wird nichts gezählt: Die Zahlen bleiben, wie sie sind.</translation></message>
<message><source>Next doubtful event</source><translation>Nächstes unsichere Ereignis</translation></message>
<message><source>To the next event that the recogniser was not sure of (D)</source><translation>Zum nächsten Ereignis, bei dem die Erkennung unsicher war (D)</translation></message>
<message><source>not counted: changes nothing in the counts</source><translation>nicht gezählt: ändert nichts an den Zahlen</translation></message>
<message><source>not counted</source><translation>nicht gezählt</translation></message>
<message><source>Show in folder</source><translation>Im Ordner zeigen</translation></message>
<message><source>Save as …</source><translation>Speichern unter …</translation></message>
<message><source>Deleting here does not delete this copy.</source><translation>Wird hier gelöscht, bleibt diese Kopie bestehen.</translation></message>
<message><source>Nothing on this computer can show it. {name} is in {folder}.</source><translation>Auf diesem Computer kann nichts es anzeigen. {name} liegt in {folder}.</translation></message>
<message><source>Marked at {times}</source><translation>Markiert bei {times}</translation></message>
<message><source>steps</source><translation>Schritte</translation></message>
<message><source>Steps of the exercise</source><translation>Schritte der Übung</translation></message>
<message><source>Find the steps</source><translation>Schritte finden</translation></message>
<message><source>Finding the steps</source><translation>Schritte werden gesucht</translation></message>
<message><source>What the counted repetitions have in common; of chosen events, only theirs</source><translation>Was die gezählten Wiederholungen gemeinsam haben; sind Ereignisse gewählt, nur deren</translation></message>
<message><source>Remove the steps</source><translation>Schritte entfernen</translation></message>
<message><source>Steps are what the repetitions have in common. Find them without labels.</source><translation>Schritte sind, was die Wiederholungen gemeinsam haben. Sie werden ohne Beschriftung gefunden.</translation></message>
<message><source>Name of step {number}</source><translation>Name von Schritt {number}</translation></message>
<message><source>Choose events of at least two repetitions, or none to take all.</source><translation>Wählen Sie Ereignisse aus mindestens zwei Wiederholungen, oder keines für alle.</translation></message>
<message><source>Reading {n} repetitions …</source><translation>{n} Wiederholungen werden gelesen …</translation></message>
<message><source>Cancelled.</source><translation>Abgebrochen.</translation></message>
<message><source>Kept in the session. Give the steps names:</source><translation>In der Sitzung gespeichert. Geben Sie den Schritten Namen:</translation></message>
<message><source>step {number}</source><translation>Schritt {number}</translation></message>
<message><source>{step} is missing</source><translation>{step} fehlt</translation></message>
<message><source>another order</source><translation>andere Reihenfolge</translation></message>
<message><source>{step} takes {length} s</source><translation>{step} dauert {length} s</translation></message>
<message><source>{step} takes only {length} s</source><translation>{step} dauert nur {length} s</translation></message>
<message><source>{n} additional step</source><translation>{n} zusätzlicher Schritt</translation></message>
<message><source>{n} additional steps</source><translation>{n} zusätzliche Schritte</translation></message>
<message><source>{n} of them differs.</source><translation>{n} davon weicht ab.</translation></message>
<message><source>{n} of them differ.</source><translation>{n} davon weichen ab.</translation></message>
<message><source>The names are kept by their number. Check that they fit.</source><translation>Die Namen bleiben nach ihrer Nummer. Prüfen Sie, ob sie passen.</translation></message>
<message><source>These steps are others, with new names. Undo brings the old ones back.</source><translation>Diese Schritte sind andere und heißen neu. Rückgängig bringt die früheren zurück.</translation></message>
</context>
</TS>
