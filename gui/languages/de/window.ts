<?xml version="1.0" encoding="utf-8"?>
<TS version="2.1" language="de">
<context>
<name>rehabcount</name>
<message><source>Something went wrong that should not: {what}. A session that runs goes on.</source><translation>Etwas ist schiefgegangen, das nicht sollte: {what}. Eine laufende Sitzung geht weiter.</translation></message>
<message><source>Research use only. Not a medical device. Counts are estimates.</source><translation>Nur für die Forschung. Kein Medizinprodukt. Zählungen sind Schätzungen.</translation></message>
<message><source>Home</source><translation>Start</translation></message>
<message><source>History</source><translation>Verlauf</translation></message>
<message><source>Settings</source><translation>Einstellungen</translation></message>
<message><source>About</source><translation>Über</translation></message>
<message><source>Keys</source><translation>Tasten</translation></message>
<message><source>Close</source><translation>Schließen</translation></message>
<message><source>Cancel</source><translation>Abbrechen</translation></message>
<message><source>Undo</source><translation>Rückgängig</translation></message>
<message><source>to the next control; Shift+Tab to the one before</source><translation>zum nächsten Bedienelement; Umschalt+Tab zum vorigen</translation></message>
<message><source>back</source><translation>zurück</translation></message>
<message><source>full screen and back</source><translation>Vollbild und zurück</translation></message>
<message><source>this help</source><translation>diese Hilfe</translation></message>
<message><source>the navigation</source><translation>die Navigation</translation></message>
<message><source>idle</source><translation>Ruhe</translation></message>
<message><source>reach</source><translation>Greifen</translation></message>
<message><source>reposition</source><translation>Umsetzen</translation></message>
<message><source>stabilize</source><translation>Halten</translation></message>
<message><source>transport</source><translation>Bewegen</translation></message>
<message><source>other</source><translation>Sonstiges</translation></message>
<message><source>left</source><translation>links</translation></message>
<message><source>right</source><translation>rechts</translation></message>
<message><source>Ctrl</source><translation>Strg</translation></message>
<message><source>Shift</source><translation>Umschalt</translation></message>
<message><source>Del</source><translation>Entf</translation></message>
<message><source>PgUp</source><translation>Bild↑</translation></message>
<message><source>PgDn</source><translation>Bild↓</translation></message>
<message><source>d MMM yyyy</source><translation>dd.MM.yyyy</translation></message>
</context>
</TS>
