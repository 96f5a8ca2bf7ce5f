<?xml version="1.0" encoding="utf-8"?>
<TS version="2.1" language="de">
<context>
<name>rehabcount</name>
<!-- Sources are codes of rehabcount/domain/message.py; the English of each stands there. -->
<message><source>text</source><translation>{text}</translation></message>
<message><source>doubt.gravity-not-felt</source><translation>spürt die Schwerkraft nicht, wie er sollte</translation></message>
<message><source>doubt.trunk-tilted</source><translation>meldet einen geneigten Rumpf</translation></message>
<message><source>discard.late</source><translation>zu spät</translation></message>
<message><source>discard.saturated</source><translation>am Ende des Messbereichs</translation></message>
<message><source>discard.not-in-rig</source><translation>Sensor, der nicht dazugehört</translation></message>
<message><source>discard.packet-cut-short</source><translation>abgeschnittenes Paket</translation></message>
<message><source>discard.packet-version</source><translation>unbekannte Version</translation></message>
<message><source>discard.packet-length</source><translation>Paket von falscher Länge</translation></message>
<message><source>discard.no-time-between</source><translation>Messwerte ohne Zeit dazwischen</translation></message>
<message><source>discard.clock-backwards</source><translation>Uhr, die rückwärts läuft</translation></message>
<message><source>discard.not-a-number</source><translation>Wert, der keine Zahl ist</translation></message>
<message><source>discard.no-rotation</source><translation>Orientierung, die keine Drehung ist</translation></message>
<message><source>discard.frame-cut-short</source><translation>abgeschnittener Datensatz</translation></message>
<message><source>discard.between-frames</source><translation>Bytes zwischen den Datensätzen</translation></message>
<message><source>discard.no-such-date</source><translation>Datum, das es nicht gibt</translation></message>
<message><source>calibration.moved-in-pose</source><translation>{place}: hat sich beim Stillhalten bewegt. 3 Sekunden ruhig halten.</translation></message>
<message><source>calibration.pose-too-short</source><translation>Das Stillhalten war zu kurz. 3 Sekunden halten.</translation></message>
<message><source>calibration.bend-further</source><translation>{place}: zu wenig gesehen. Den Ellbogen weiter beugen.</translation></message>
<message><source>calibration.bend-in-one-plane</source><translation>{place}: den Ellbogen langsam und in einer Ebene beugen.</translation></message>
<message><source>calibration.turn-further</source><translation>{place}: zu wenig gesehen. Den Unterarm weiter drehen.</translation></message>
<message><source>calibration.turn-in-one-plane</source><translation>{place}: den Unterarm langsam drehen.</translation></message>
<message><source>calibration.bend-without-turning</source><translation>{place}: den Unterarm beim Beugen nicht drehen.</translation></message>
<message><source>calibration.palm-down</source><translation>{place}: mit der Handfläche nach unten beginnen.</translation></message>
<message><source>calibration.worn-otherwise</source><translation>{place}: sitzt nicht wie im Bild.</translation></message>
<message><source>calibration.sent-nothing</source><translation>{sensor}: hat nichts gesendet. Prüfen, ob er an ist.</translation></message>
<message><source>calibration.no-acceleration</source><translation>{sensor}: misst keine Beschleunigung und weiß nicht, wo oben ist.</translation></message>
<message><source>calibration.moved-without</source><translation>{sensor}: hat sich nicht mit dem Arm bewegt. Prüfen, ob er dort sitzt.</translation></message>
<message><source>calibration.swapped-moved</source><translation>{one} und {other} scheinen vertauscht (bewegt hat sich der zweite). Tauschen, dann wiederholen.</translation></message>
<message><source>calibration.swapped-turned</source><translation>{one} und {other} scheinen vertauscht (der erste drehte sich mit dem Unterarm). Tauschen, dann wiederholen.</translation></message>
<message><source>calibration.swapped-shaken</source><translation>{one} und {other} scheinen vertauscht (der erste bewegte sich wie eine Hand). Tauschen, dann wiederholen.</translation></message>
<message><source>calibration.none-sent</source><translation>Kein Sensor hat etwas gesendet.</translation></message>
<message><source>calibration.check-all-on</source><translation>Prüfen Sie, ob die Sensoren an sind.</translation></message>
<message><source>calibration.none-calibrated</source><translation>Kein Sensor konnte kalibriert werden: Keiner mit einem Platz hat beim Stillhalten etwas gesendet.</translation></message>
<message><source>calibration.check-all-assigned</source><translation>Prüfen Sie, ob die Sensoren an und zugeordnet sind. Wiederholen Sie dann das Stillhalten.</translation></message>
<message><source>link.silent</source><translation>Er sendet nichts: aus- und einschalten.</translation></message>
<message><source>link.charge</source><translation>Vor der Sitzung laden ({n} %).</translation></message>
<message><source>link.weak</source><translation>Sein Signal ist schwach: Bringen Sie Patient und Computer näher zusammen, ohne einen Körper dazwischen.</translation></message>
<message><source>link.crowded</source><translation>Nehmen Sie weniger Sensoren an diesem Adapter, stecken Sie einen zweiten ein, oder gehen Sie von WLAN und USB-3-Geräten weg.</translation></message>
<message><source>error.failed</source><translation>Etwas ist schiefgegangen.</translation></message>
<message><source>error.config</source><translation>Eine Einstellung ist nicht brauchbar. Berichtigen Sie sie in der Datei der Einstellungen.</translation></message>
<message><source>error.sensor</source><translation>Ein Sensor tut nicht, was er soll. Schalten Sie ihn aus und ein.</translation></message>
<message><source>error.bluetooth-off</source><translation>Bluetooth ist ausgeschaltet. Schalten Sie es in den Einstellungen des Systems ein.</translation></message>
<message><source>error.bluetooth-missing</source><translation>Kein Bluetooth gefunden. Stecken Sie einen Adapter ein.</translation></message>
<message><source>error.bluetooth-denied</source><translation>Dieses Programm darf Bluetooth nicht verwenden. Erlauben Sie es in den Einstellungen des Systems.</translation></message>
<message><source>error.sensor-not-found</source><translation>Ein Sensor ist nicht zu finden. Schalten Sie ihn ein und bringen Sie ihn näher.</translation></message>
<message><source>error.sensor-lost</source><translation>Ein Sensor antwortet nicht. Näher rücken, oder aus- und einschalten.</translation></message>
<message><source>error.sensor-refused</source><translation>Ein Sensor ist von einem unbekannten Modell oder tut nicht, was er soll. Aktualisieren Sie seine Firmware.</translation></message>
<message><source>error.packet-malformed</source><translation>Ein Sensor hat etwas gesendet, das sich nicht lesen lässt. Aktualisieren Sie seine Firmware.</translation></message>
<message><source>error.artifact</source><translation>Das Modell ist nicht brauchbar. Wählen Sie ein anderes unter Einstellungen.</translation></message>
<message><source>error.artifact-missing</source><translation>Das Modell ist nicht da, oder nicht ganz. Wählen Sie eines unter Einstellungen.</translation></message>
<message><source>error.checksum-mismatch</source><translation>Das Modell wurde nach dem Packen verändert. Wählen Sie ein anderes unter Einstellungen.</translation></message>
<message><source>error.card-invalid</source><translation>Die Karte des Modells lässt sich nicht lesen. Wählen Sie ein anderes Modell unter Einstellungen.</translation></message>
<message><source>error.model-mismatch</source><translation>Das Modell passt nicht. Wählen Sie ein anderes unter Einstellungen.</translation></message>
<message><source>error.inference</source><translation>Das Modell hat versagt. Wählen Sie ein anderes unter Einstellungen.</translation></message>
<message><source>error.store</source><translation>Die Datei lässt sich nicht lesen oder schreiben.</translation></message>
<message><source>error.session-missing</source><translation>Die Datei ist weg. Legen Sie sie zurück, oder schließen Sie ihr Laufwerk wieder an.</translation></message>
<message><source>error.session-foreign</source><translation>Das ist keine Sitzungsdatei.</translation></message>
<message><source>error.session-newer</source><translation>Das hat ein neueres rehabcount geschrieben. Aktualisieren, dann wieder öffnen.</translation></message>
<message><source>error.session-corrupt</source><translation>Die Sitzungsdatei ist beschädigt. Was lesbar ist, rettet: rehabcount recover</translation></message>
<message><source>error.session-busy</source><translation>Ein anderes Fenster hat das offen. Dort schließen, oder gleich noch einmal versuchen.</translation></message>
<message><source>error.store-unwritable</source><translation>Dort lässt sich nichts schreiben. Prüfen Sie das Laufwerk und Ihre Rechte am Ordner.</translation></message>
<message><source>error.store-full</source><translation>Das Laufwerk ist voll. Schaffen Sie Platz; was aufgezeichnet ist, ist sicher.</translation></message>
<message><source>error.library-damaged</source><translation>Die Patientenliste ist beschädigt. Holen Sie eine Sicherung zurück; die Sitzungsdateien sind heil.</translation></message>
<message><source>error.backup-refused</source><translation>Das ist keine vollständige Sicherung. Wählen Sie eine andere Datei.</translation></message>
<message><source>error.patient-missing</source><translation>Diesen Patienten gibt es nicht mehr.</translation></message>
<message><source>error.patient-exists</source><translation>Dieser Code ist vergeben. Wählen Sie einen anderen.</translation></message>
<message><source>error.session-simulated</source><translation>Eine simulierte Sitzung bleibt die des Demo-Patienten: Kein Patient hat diese Bewegungen gemacht.</translation></message>
<message><source>error.confirmation-wrong</source><translation>Das ist nicht der Code des Patienten. Nichts wurde gelöscht.</translation></message>
<message><source>error.import-refused</source><translation>Die Datei lässt sich nicht lesen.</translation></message>
<message><source>error.session-unsaid</source><translation>Die Datei sagt nicht, für welche Sitzung sie gemacht wurde.</translation></message>
<message><source>error.input-refused</source><translation>Was übergeben wurde, ist nicht brauchbar.</translation></message>
<message><source>error.calibration</source><translation>Die Bewegungen verraten nicht, wie die Sensoren sitzen. Bitte wiederholen.</translation></message>
<message><source>error.dataset</source><translation>Die Daten sind nicht brauchbar.</translation></message>
<message><source>error.dataset-missing</source><translation>Die Daten sind nicht da.</translation></message>
<message><source>error.dataset-changed</source><translation>Die Daten sind nicht, was sie waren.</translation></message>
<message><source>error.missing-extra</source><translation>Eine Bibliothek ist nicht installiert.</translation></message>
<message><source>file.missing</source><translation>Es gibt keine Datei {file}.</translation></message>
<message><source>file.gone</source><translation>{file} ist weg.</translation></message>
<message><source>file.not-a-file</source><translation>{file} ist keine Datei.</translation></message>
<message><source>file.empty</source><translation>{file} ist leer; darin wurde nie eine Sitzung gespeichert.</translation></message>
<message><source>file.other-database</source><translation>{file} ist eine SQLite-Datenbank, aber keine Sitzungsdatei.</translation></message>
<message><source>file.no-session</source><translation>{file} ist keine Sitzungsdatei.</translation></message>
<message><source>file.cut-off</source><translation>{file} bricht nach {n} Bytes ab.</translation></message>
<message><source>file.unreadable</source><translation>{file} lässt sich nicht lesen: {why}.</translation></message>
<message><source>file.read-failed</source><translation>{file} lässt sich nicht lesen ({why}).</translation></message>
<message><source>file.write-failed</source><translation>{file} lässt sich nicht schreiben ({why}).</translation></message>
<message><source>file.unwritable</source><translation>{file} lässt sich nicht schreiben: {why}.</translation></message>
<message><source>file.schema-newer</source><translation>{file} hat ein neueres rehabcount geschrieben (Schema {version}; dieses kennt {known}).</translation></message>
<message><source>file.newer</source><translation>{file} hat ein neueres rehabcount geschrieben.</translation></message>
<message><source>file.damaged</source><translation>{file} ist beschädigt.</translation></message>
<message><source>file.damaged-how</source><translation>{file} ist beschädigt: {what}.</translation></message>
<message><source>file.without-tables</source><translation>{file} hat seine Tabellen verloren.</translation></message>
<message><source>file.without-some</source><translation>{file} hat Tabellen verloren ({names}).</translation></message>
<message><source>file.altered</source><translation>{file} wurde verändert: Die Datei enthält {kind} {name}, was keine Sitzung hat.</translation></message>
<message><source>file.too-many-tables</source><translation>{file} wurde verändert: Die Datei enthält viel mehr Tabellen als eine Sitzung.</translation></message>
<message><source>file.illegible</source><translation>{file} enthält etwas Unlesbares: {what}.</translation></message>
<message><source>file.locked</source><translation>{file} wird von einem anderen Programm festgehalten.</translation></message>
<message><source>file.in-use</source><translation>{file} wird gerade von einem anderen Fenster benutzt.</translation></message>
<message><source>file.interrupted</source><translation>{file} wurde unterbrochen und liegt, wo sich nichts schreiben lässt.</translation></message>
<message><source>file.closed</source><translation>Die Sitzung in {file} ist abgeschlossen.</translation></message>
<message><source>file.exists</source><translation>{file} gibt es schon.</translation></message>
<message><source>file.left</source><translation>{file} ist von einer anderen Sitzung dieses Namens übrig.</translation></message>
<message><source>file.recording</source><translation>{file} wird gerade aufgezeichnet.</translation></message>
<message><source>file.recording-elsewhere</source><translation>{file} wird gerade von einem anderen Programm aufgezeichnet.</translation></message>
<message><source>file.write-stopped</source><translation>{file} konnte nicht geschrieben werden: {why}.</translation></message>
<message><source>disk.full-grow</source><translation>Das Laufwerk ist voll; {file} kann nicht wachsen.</translation></message>
<message><source>disk.full-make</source><translation>Das Laufwerk ist voll; {file} kann nicht angelegt werden.</translation></message>
<message><source>disk.little-room</source><translation>Für {folder} sind nur {n} MB frei.</translation></message>
<message><source>disk.folder-closed</source><translation>In {folder} kann keine Sitzung gespeichert werden: {why}.</translation></message>
<message><source>disk.not-on-disk</source><translation>{n} s der Aufzeichnung sind nicht auf der Platte.</translation></message>
<message><source>file.nothing-to-salvage</source><translation>In {file} ist nichts von einer Sitzung lesbar.</translation></message>
<message><source>file.corrected-meanwhile</source><translation>{file} wurde inzwischen in einem anderen Fenster korrigiert.</translation></message>
<message><source>file.never-calibrated</source><translation>{file} wurde nie kalibriert; deshalb kann darin nichts gezählt werden.</translation></message>
<message><source>file.no-motion</source><translation>{file} enthält keine Bewegung, die gezählt werden könnte.</translation></message>
<message><source>library.no-patient</source><translation>Es gibt keinen Patienten {patient}.</translation></message>
<message><source>library.patient-taken</source><translation>Den Patientencode {patient} gibt es schon; er ist vergeben.</translation></message>
<message><source>library.not-the-code</source><translation>Das ist nicht der Code des Patienten; nichts wurde gelöscht.</translation></message>
<message><source>library.not-listed</source><translation>{file} ist nicht in der Bibliothek.</translation></message>
<message><source>library.is-simulated</source><translation>{file} ist simuliert; kein Patient hat diese Bewegungen gemacht.</translation></message>
<message><source>library.no-library</source><translation>{file} ist keine Bibliothek von rehabcount.</translation></message>
<message><source>backup.in-library</source><translation>{file} gehört zur Bibliothek; eine Sicherung kann nicht an diese Stelle.</translation></message>
<message><source>backup.unfaithful</source><translation>{file} gibt nicht zurück, was geschrieben wurde.</translation></message>
<message><source>backup.newer</source><translation>{file} hat ein neueres rehabcount gemacht.</translation></message>
<message><source>backup.not-whole</source><translation>{file} ist keine vollständige Sicherung von rehabcount.</translation></message>
<message><source>backup.part-damaged</source><translation>{part} in {file} ist beschädigt.</translation></message>
<message><source>backup.list-damaged</source><translation>Die Patientenliste in {file} ist beschädigt.</translation></message>
<message><source>backup.too-large</source><translation>{file} braucht ausgepackt {n} MB; {free} MB sind frei.</translation></message>
<message><source>backup.twice</source><translation>{file} enthält zwei Dateien eines Namens.</translation></message>
<message><source>backup.overlaps</source><translation>{file} enthält Dateien, die sich überlappen.</translation></message>
<message><source>backup.strange-name</source><translation>{file} enthält eine Datei mit fremdem Namen.</translation></message>
<message><source>backup.strange-packing</source><translation>{file} ist so gepackt, wie keine Sicherung es ist.</translation></message>
<message><source>backup.swells</source><translation>{file} will sich auf {size} GB auspacken.</translation></message>
<message><source>backup.long-list</source><translation>{file} hat eine viel längere Dateiliste als eine Sicherung.</translation></message>
<message><source>backup.holds-more</source><translation>{file} enthält mehr, als darauf steht.</translation></message>
<message><source>settings.not-kept</source><translation>Die Einstellungen können nicht gespeichert werden.</translation></message>
<message><source>model.none</source><translation>Es gibt kein Modell zum Zählen.</translation></message>
<message><source>model.no-chosen</source><translation>Es gibt kein Modell {model}, mit dem laut Einstellungen gezählt wird.</translation></message>
<message><source>sensor.none-connected</source><translation>Kein Sensor ist verbunden; es gibt nichts zu kalibrieren.</translation></message>
<message><source>sensor.no-blink</source><translation>{sensor} kann nicht blinken.</translation></message>
<message><source>radio.failed</source><translation>Der Funk ist unerwartet ausgefallen.</translation></message>
<message><source>radio.off</source><translation>Bluetooth ist ausgeschaltet.</translation></message>
<message><source>radio.denied</source><translation>Dieses Programm darf Bluetooth nicht verwenden.</translation></message>
<message><source>radio.too-old</source><translation>Der Bluetooth-Adapter ist zu alt: Er kennt kein Low Energy.</translation></message>
<message><source>radio.no-adapter</source><translation>Es gibt keinen Bluetooth-Adapter.</translation></message>
<message><source>radio.no-such-adapter</source><translation>Es gibt keinen Bluetooth-Adapter {adapter}.</translation></message>
<message><source>radio.no-service</source><translation>Der Bluetooth-Dienst des Systems läuft nicht.</translation></message>
<message><source>radio.service-unreached</source><translation>Der Bluetooth-Dienst des Systems ist nicht zu erreichen.</translation></message>
<message><source>radio.no-answer</source><translation>Das Bluetooth des Systems antwortet nicht.</translation></message>
<message><source>radio.failed-how</source><translation>Der Funk ist ausgefallen: {why}.</translation></message>
<message><source>sensor.unseen</source><translation>Der Sensor ist nicht zu finden.</translation></message>
<message><source>sensor.link-failed</source><translation>Die Verbindung ist gescheitert: {why}.</translation></message>
<message><source>sensor.link-lost</source><translation>Die Verbindung ist abgerissen.</translation></message>
<message><source>sensor.sends-nothing</source><translation>Der Sensor ist verbunden, sendet aber nichts.</translation></message>
<message><source>sensor.no-slot</source><translation>Der Adapter trägt keine weitere Verbindung.</translation></message>
<message><source>sensor.otherwise</source><translation>Der Sensor ist nicht, was sein Name sagt: {why}</translation></message>
<message><source>sensor.no-setting</source><translation>Der Sensor hat eine Einstellung verweigert: {why}.</translation></message>
<message><source>sensor.no-answer</source><translation>Der Sensor antwortet nicht.</translation></message>
<message><source>sensor.unknown-model</source><translation>{sensor} ohne Merkmal {characteristic}: ein unbekanntes Modell.</translation></message>
<message><source>session.stopped</source><translation>Die Sitzung ist abgebrochen: {what}.</translation></message>
<message><source>session.counting-stopped</source><translation>Das Zählen ist abgebrochen: {what}.</translation></message>
<message><source>session.unexpected</source><translation>Etwas ist schiefgegangen, das nicht sollte: {what}.</translation></message>
<message><source>window.no-font</source><translation>Auf diesem Rechner ist keine Schrift.</translation></message>
<message><source>labels.of-another</source><translation>{file}: Diese Beschriftungen wurden für eine andere Sitzung gemacht.</translation></message>
<message><source>labels.of-other-counting</source><translation>{file}: Diese Beschriftungen wurden für Zählung {number} (Modell {model}) gemacht, nicht für Zählung {here}.</translation></message>
<message><source>labels.outside</source><translation>{file}, Zeile {line}: Eine Beschriftung der Spur {tier} liegt außerhalb der Sitzung, die {length} s lang ist.</translation></message>
<message><source>labels.backwards</source><translation>{file}, Zeile {line}: Eine Beschriftung der Spur {tier} endet, bevor sie beginnt.</translation></message>
<message><source>labels.unknown</source><translation>{file}, Zeile {line}: unbekannte Beschriftung {label} in Spur {tier}.</translation></message>
<message><source>labels.not-elan</source><translation>{file}, Zeile 1: keine Datei mit Beschriftungen von ELAN.</translation></message>
<message><source>labels.not-xml</source><translation>{file}, Zeile {line}: kein gültiges XML ({why}).</translation></message>
<message><source>labels.unreadable</source><translation>{file} lässt sich nicht lesen: {why}.</translation></message>
<message><source>do.check-name</source><translation>Prüfen Sie Namen und Ordner.</translation></message>
<message><source>do.put-back</source><translation>Legen Sie die Datei zurück, oder schließen Sie ihr Laufwerk wieder an.</translation></message>
<message><source>do.put-data-back</source><translation>Legen Sie den Datenordner zurück, oder schließen Sie sein Laufwerk an.</translation></message>
<message><source>do.name-session</source><translation>Nennen Sie eine Sitzungsdatei (*.rehab).</translation></message>
<message><source>do.delete-empty</source><translation>Sie darf gelöscht werden.</translation></message>
<message><source>do.import</source><translation>Aufnahmen anderer Programme liest `rehabcount import`. Eine Sitzung mit überschriebenem Anfang ist vielleicht noch zu retten: `rehabcount recover FILE --out NEW.rehab`.</translation></message>
<message><source>do.ask-owner</source><translation>Lassen Sie sich vom Besitzer das Leserecht geben.</translation></message>
<message><source>do.check-disk-read</source><translation>Prüfen Sie das Laufwerk und die Rechte an der Datei.</translation></message>
<message><source>do.check-disk-write</source><translation>Prüfen Sie, ob das Laufwerk da ist und ob Sie Datei und Ordner beschreiben dürfen.</translation></message>
<message><source>do.check-disk</source><translation>Prüfen Sie das Laufwerk, oder wählen Sie ein anderes.</translation></message>
<message><source>do.writable-folder</source><translation>Wählen Sie einen Ordner, in den Sie schreiben dürfen.</translation></message>
<message><source>do.other-folder</source><translation>Wählen Sie unter Einstellungen einen anderen Ordner, oder lassen Sie sich das Schreibrecht geben.</translation></message>
<message><source>do.copy-both</source><translation>Kopieren Sie sie zusammen mit {file} in einen Ordner, in den Sie schreiben dürfen, und öffnen Sie die Kopie.</translation></message>
<message><source>do.make-room</source><translation>Schaffen Sie Platz auf dem Laufwerk.</translation></message>
<message><source>do.make-room-safe</source><translation>Schaffen Sie Platz auf dem Laufwerk. Was vorher aufgezeichnet wurde, ist sicher.</translation></message>
<message><source>do.make-room-hour</source><translation>Schaffen Sie Platz: Eine Stunde mit neun Sensoren braucht {n} MB.</translation></message>
<message><source>do.update</source><translation>Aktualisieren Sie rehabcount.</translation></message>
<message><source>do.update-first</source><translation>Aktualisieren Sie zuerst rehabcount.</translation></message>
<message><source>do.update-reopen</source><translation>Aktualisieren Sie rehabcount und öffnen Sie sie dann wieder. Die Datei wird nicht verändert.</translation></message>
<message><source>do.close-others</source><translation>Schließen Sie andere Programme, die sie offen haben, und versuchen Sie es noch einmal.</translation></message>
<message><source>do.close-other-window</source><translation>Schließen Sie zuerst das andere Fenster von rehabcount, oder zeichnen Sie in eine andere Datei auf.</translation></message>
<message><source>do.wait</source><translation>Warten Sie einen Augenblick und versuchen Sie es noch einmal; nichts wurde verändert.</translation></message>
<message><source>do.end-session</source><translation>Beenden Sie zuerst diese Sitzung.</translation></message>
<message><source>do.end-recording</source><translation>Beenden Sie zuerst die Aufzeichnung.</translation></message>
<message><source>do.new-session</source><translation>Zeichnen Sie in eine andere Datei auf: eine neue Sitzung.</translation></message>
<message><source>do.other-name</source><translation>Wählen Sie einen anderen Namen.</translation></message>
<message><source>do.other-name-kept</source><translation>Wählen Sie einen anderen Namen; eine Sitzung wird nie überschrieben.</translation></message>
<message><source>do.look-for-backup</source><translation>Suchen Sie eine Sicherung.</translation></message>
<message><source>do.look-again</source><translation>Sie wurde neu gelesen; sehen Sie nach, ob Ihre letzte Änderung noch nötig ist.</translation></message>
<message><source>do.say-pose</source><translation>Sagen Sie, wann Stillhalten und Bewegungen waren: rehabcount calibrate.</translation></message>
<message><source>do.look-at-list</source><translation>Sehen Sie in der Patientenliste nach.</translation></message>
<message><source>do.other-code</source><translation>Wählen Sie einen anderen Code.</translation></message>
<message><source>do.type-code</source><translation>Geben Sie {word} ein, um alles zu löschen.</translation></message>
<message><source>do.choose-listed</source><translation>Wählen Sie eine Sitzung der Liste.</translation></message>
<message><source>do.leave-simulated</source><translation>Sie bleibt bei: {whose}. Um mit dem Plan eines Patienten zu üben, nehmen Sie die Demo.</translation></message>
<message><source>do.backup-elsewhere</source><translation>Wählen Sie einen anderen Namen, etwa backup.zip, am besten auf einem anderen Laufwerk.</translation></message>
<message><source>do.choose-backup</source><translation>Wählen Sie die Datei der Sicherung.</translation></message>
<message><source>do.other-backup</source><translation>Wählen Sie eine andere Sicherung; diese wurde abgeschnitten, verändert oder von einem anderen Programm gemacht.</translation></message>
<message><source>do.hold-until-closed</source><translation>Sie gelten, bis rehabcount geschlossen wird.</translation></message>
<message><source>do.choose-model</source><translation>Wählen Sie eines unter Einstellungen.</translation></message>
<message><source>do.switch-all-on</source><translation>Schalten Sie die Sensoren ein und bringen Sie sie näher.</translation></message>
<message><source>do.move-instead</source><translation>Bewegen Sie ihn stattdessen: Ordnen Sie ihn zu.</translation></message>
<message><source>do.go-back</source><translation>Gehen Sie zurück und versuchen Sie es noch einmal.</translation></message>
<message><source>do.sensor-nearer</source><translation>Bringen Sie den Sensor näher, laden Sie ihn, und stellen Sie den Computer nicht auf den Boden; es wird von selbst wieder versucht.</translation></message>
<message><source>do.reconnects</source><translation>Bringen Sie den Sensor näher; er verbindet sich von selbst.</translation></message>
<message><source>do.off-and-on</source><translation>Schalten Sie ihn aus und ein.</translation></message>
<message><source>do.off-and-on-retry</source><translation>Schalten Sie den Sensor aus und ein und versuchen Sie es noch einmal.</translation></message>
<message><source>do.wake</source><translation>Schalten Sie den Sensor ein, wecken Sie ihn mit seinem Knopf, und sehen Sie nach, ob ein anderes Programm oder Telefon mit ihm verbunden ist.</translation></message>
<message><source>do.second-adapter</source><translation>Stecken Sie einen zweiten Adapter ein, oder nehmen Sie weniger Sensoren zugleich.</translation></message>
<message><source>do.update-with-app</source><translation>Aktualisieren Sie seine Firmware mit der App des Herstellers.</translation></message>
<message><source>do.see-models</source><translation>Welche Modelle gehen, steht in docs/sensors.md; aktualisieren Sie die Firmware des Sensors.</translation></message>
<message><source>do.restart-bluetooth</source><translation>Schalten Sie Bluetooth aus und ein, oder starten Sie den Computer neu.</translation></message>
<message><source>do.kept</source><translation>Was aufgezeichnet wurde, bleibt erhalten.</translation></message>
<message><source>do.count-later</source><translation>Die Aufzeichnung geht weiter; zählen Sie sie später: rehabcount count.</translation></message>
<message><source>do.install-font</source><translation>Installieren Sie eine, z. B. apt install fonts-dejavu-core.</translation></message>
<message><source>do.name-exported</source><translation>Nennen Sie die Sitzung, aus der sie exportiert wurden.</translation></message>
<message><source>do.name-counting</source><translation>Wählen Sie die Zählung, für die sie gemacht wurden (rehabcount annotate --counting N), oder exportieren Sie die Sitzung erneut.</translation></message>
<message><source>do.correct-in-elan</source><translation>Sind diese Beschriftungen für diese Sitzung? Berichtigen Sie sie in ELAN.</translation></message>
<message><source>do.known-labels</source><translation>Bekannt: {labels}.</translation></message>
<message><source>do.name-elan</source><translation>Nennen Sie eine Datei, die ELAN gespeichert hat (.eaf).</translation></message>
<message><source>do.name</source><translation>Prüfen Sie den Namen.</translation></message>
<message><source>do.recover</source><translation>`rehabcount recover FILE --out NEW.rehab` rettet jede Zeile, die noch lesbar ist, in eine neue Datei.</translation></message>
<message><source>do.restore</source><translation>Räumen Sie sie weg und holen Sie eine Sicherung zurück. Die Sitzungsdateien sind auch ohne sie heil: Beim nächsten Start stehen sie wieder in der Liste.</translation></message>
<message><source>do.export-again</source><translation>Exportieren Sie die Sitzung noch einmal (rehabcount export --to elan) und kopieren Sie Ihre Beschriftungen in diese Datei.</translation></message>
<message><source>do.look-inside</source><translation>Sehen Sie nach, was darin ist: rehabcount info.</translation></message>
<message><source>do.model-back</source><translation>Legen Sie es zurück, oder wählen Sie ein anderes unter Einstellungen.</translation></message>
<message><source>do.make-model</source><translation>Legen Sie ein Modell in {folder}, oder machen Sie eines: rehabcount simulate, train, models export.</translation></message>
<message><source>do.bluetooth-on-linux</source><translation>Schalten Sie Bluetooth in den Einstellungen des Systems ein, oder mit: bluetoothctl power on (falls es gesperrt ist, rfkill unblock bluetooth).</translation></message>
<message><source>do.bluetooth-find-linux</source><translation>Stecken Sie einen Bluetooth-Adapter ein, und sehen Sie nach, ob der Dienst läuft: systemctl start bluetooth.</translation></message>
<message><source>do.bluetooth-allow-linux</source><translation>Erlauben Sie diesem Benutzer Bluetooth: Nehmen Sie ihn in die Gruppe bluetooth auf, dann neu anmelden.</translation></message>
<message><source>do.bluetooth-on-windows</source><translation>Schalten Sie Bluetooth ein: Einstellungen, Bluetooth und Geräte.</translation></message>
<message><source>do.bluetooth-find-windows</source><translation>Stecken Sie einen Bluetooth-Adapter ein (4.0 oder neuer), und sehen Sie nach, ob Windows ihn unter Einstellungen, Bluetooth und Geräte zeigt.</translation></message>
<message><source>do.bluetooth-allow-windows</source><translation>Erlauben Sie es: Einstellungen, Datenschutz und Sicherheit, Funkgeräte (oder App-Berechtigungen, Bluetooth).</translation></message>
<message><source>do.bluetooth-on-mac</source><translation>Schalten Sie Bluetooth im Kontrollzentrum oder in den Systemeinstellungen unter Bluetooth ein.</translation></message>
<message><source>do.bluetooth-find-mac</source><translation>Dieser Mac zeigt kein Bluetooth; starten Sie ihn neu, oder stecken Sie einen Adapter ein, den macOS unterstützt.</translation></message>
<message><source>do.bluetooth-allow-mac</source><translation>Erlauben Sie es dem Terminal (oder dieser App) in den Systemeinstellungen unter Datenschutz &amp; Sicherheit, Bluetooth, und starten Sie es neu.</translation></message>
<message><source>model.unreadable</source><translation>Das Modell in {folder} lässt sich nicht lesen: {why}.</translation></message>
<message><source>model.card-unreadable</source><translation>Die Karte in {folder} lässt sich nicht lesen: {why}.</translation></message>
<message><source>model.not-there</source><translation>In {folder} ist kein Modell.</translation></message>
<message><source>model.lacks</source><translation>Dem Modell in {folder} fehlt {file}.</translation></message>
<message><source>model.too-large</source><translation>{file} des Modells in {folder} ist größer als {n} Bytes.</translation></message>
<message><source>model.changed</source><translation>{file} des Modells in {folder} ist nicht die Datei, die gepackt wurde.</translation></message>
<message><source>model.strange-sum</source><translation>{file} in {folder}, Zeile {line}: keine Prüfsumme dieses Modells.</translation></message>
<message><source>model.cannot-count</source><translation>{folder} ist kein Modell, das zählen kann:</translation></message>
<message><source>model.not-golden</source><translation>{file} in {folder} ist kein Prüfbeispiel: {why}.</translation></message>
<message><source>model.other-output</source><translation>Das Modell {model} ergibt hier nicht, was sein Prüfbeispiel verlangt ({name}).</translation></message>
<message><source>model.unknown</source><translation>Es gibt kein Modell {model}.</translation></message>
<message><source>model.no-card</source><translation>In {folder} fehlt card.json.</translation></message>
<message><source>model.card-invalid</source><translation>Die Karte in {folder} ist ungültig: {why}.</translation></message>
<message><source>model.other-columns</source><translation>Das Modell {model} liest {n} Spalten des Rezepts {recipe}; diese Zeilen haben {have} von {given}.</translation></message>
<message><source>model.other-rate</source><translation>Das Modell {model} liest {n} Zeilen in der Sekunde; hier sind es {have}.</translation></message>
<message><source>model.needs-sensor</source><translation>Das Modell {model} braucht einen Sensor: {parts} (Arm: {arm}); Satz {rig} hat {worn}.</translation></message>
<message><source>model.no-sensor-on-arm</source><translation>Satz {rig} hat keinen Sensor am Arm ({arm}).</translation></message>
<message><source>model.whole-trials</source><translation>Das Modell {model} liest das Rezept {recipe}: nur ganze Versuche.</translation></message>
<message><source>model.no-network</source><translation>{file} des Modells {model} lässt sich nicht als Netz öffnen: {why}.</translation></message>
<message><source>model.mixed</source><translation>Die Karte gehört zu {model}, das Netz daneben zu {network}.</translation></message>
<message><source>model.other-shapes</source><translation>Das Netz von {model} hat {what} {have}; seine Karte sagt {wanted}.</translation></message>
<message><source>model.failed</source><translation>Das Modell {model} hat versagt: {why}.</translation></message>
<message><source>model.unsound</source><translation>Das Modell {model} liefert kein brauchbares {name}.</translation></message>
<message><source>model.skips-frames</source><translation>Das Modell {model} bewertet nicht jedes Bild.</translation></message>
<message><source>do.get-model</source><translation>Holen Sie das Modell noch einmal, vollständig.</translation></message>
<message><source>do.get-model-again</source><translation>Holen Sie das Modell noch einmal.</translation></message>
<message><source>do.get-model-mixed</source><translation>Holen Sie das Modell noch einmal; Dateien zweier Modelle wurden vermischt.</translation></message>
<message><source>do.get-model-unedited</source><translation>Holen Sie das Modell noch einmal; eine Karte darf nicht bearbeitet werden.</translation></message>
<message><source>do.get-model-or-report</source><translation>Holen Sie das Modell noch einmal; wenn das nicht hilft, melden Sie es mit dem Prozessor des Rechners.</translation></message>
<message><source>do.see-installed</source><translation>Sehen Sie nach, was da ist: rehabcount models.</translation></message>
<message><source>do.installed</source><translation>Es gibt: {models}.</translation></message>
<message><source>do.none-installed</source><translation>Kein Modell ist installiert.</translation></message>
<message><source>do.other-model</source><translation>Wählen Sie ein anderes Modell.</translation></message>
<message><source>do.bedside-model</source><translation>Wählen Sie ein Modell für die Therapie (rehabcount models).</translation></message>
<message><source>do.model-for-rig</source><translation>Legen Sie den Sensor an, oder wählen Sie ein Modell für diesen Satz (rehabcount models).</translation></message>
<message><source>do.recipe</source><translation>Berechnen Sie die Zeilen mit dem Rezept {recipe}, oder wählen Sie ein anderes Modell (rehabcount models).</translation></message>
<message><source>do.worn-arm</source><translation>Wählen Sie den Arm, der die Sensoren trägt.</translation></message>
<message><source>do.report</source><translation>Melden Sie das; zählen Sie weiter.</translation></message>
<message><source>card.research</source><translation>Forschung zum Zählen funktioneller Armbewegungen.</translation></message>
<message><source>card.no-device</source><translation>Kein Medizinprodukt; Zählungen sind Schätzungen.</translation></message>
<message><source>card.simulated</source><translation>Nur an simulierten Menschen trainiert und gemessen.</translation></message>
<message><source>card.simulated-few</source><translation>Nur an simulierten Menschen trainiert und gemessen (gemessen an jeder fünften Aktivität).</translation></message>
<message><source>card.severe</source><translation>Schwer betroffene Arme werden selbst dort schlecht gezählt: {n} Fehler auf 100 Bewegungen.</translation></message>
<message><source>card.later</source><translation>Es liest Fenster und antwortet später als stream.</translation></message>
<message><source>card.two-are-one</source><translation>Zwei gleichartige Bewegungen nacheinander sind für es eine.</translation></message>
<message><source>card.false-counts</source><translation>Zwischen den Übungen zählt es etwa {n} Mal in der Stunde falsch.</translation></message>
<message><source>card.more-false</source><translation>Zählt zwischen den Übungen viel öfter falsch als stream, und zählt später.</translation></message>
<message><source>card.cohort</source><translation>simulierte Menschen</translation></message>
<message><source>card.recipe</source><translation>Rezept {recipe}</translation></message>
<message><source>card.seed</source><translation>Startwert {seed}</translation></message>
<message><source>card.elbows-out</source><translation>Ellbogen nach außen</translation></message>
<message><source>card.drinks</source><translation>je {n} Trinkübungen</translation></message>
<message><source>card.busy</source><translation>zwischen den Übungen beschäftigt</translation></message>
<message><source>settings.no-toml</source><translation>{file} ist keine TOML-Datei: {why}.</translation></message>
<message><source>settings.wrong</source><translation>{file} ist nicht brauchbar: {what}.</translation></message>
<message><source>settings.unknown</source><translation>{file}: Es gibt keine Einstellung {name}.</translation></message>
<message><source>do.correct-line</source><translation>Berichtigen Sie die Zeile, oder entfernen Sie die Datei.</translation></message>
<message><source>do.remove-settings</source><translation>Entfernen Sie die Datei; dann gelten die Standardeinstellungen.</translation></message>
<message><source>do.correct-value</source><translation>Berichtigen Sie den Wert, oder entfernen Sie die Zeile.</translation></message>
<message><source>do.mean</source><translation>Meinten Sie {name}?</translation></message>
<message><source>do.assign-anew</source><translation>Entfernen Sie sie, und ordnen Sie die Sensoren neu zu.</translation></message>
<message><source>sensor.no-sync</source><translation>Der Sensor antwortet nicht auf die Frage nach der Synchronisation.</translation></message>
<message><source>do.update-firmware</source><translation>Aktualisieren Sie seine Firmware.</translation></message>
<message><source>sensor.missing</source><translation>Kein Sensor für {places}.</translation></message>
<message><source>do.identify</source><translation>Schalten Sie ihn ein; einen neuen ordnet zu: rehabcount sensors identify --assign</translation></message>
<message><source>file.recording-counted</source><translation>{file} wird gerade aufgezeichnet; die eigene Zählung wird dabei behalten.</translation></message>
<message><source>do.count-when-ended</source><translation>Zählen Sie, wenn die Sitzung beendet ist, oder sehen Sie nur nach: --no-keep.</translation></message>
<message><source>labels.wrong</source><translation>{file}, Zeile {line}: nicht brauchbar: {what}.</translation></message>
<message><source>labels.no-time</source><translation>{file}, Zeile {line}: Zeitpunkt {slot} hat keine Zeit.</translation></message>
<message><source>do.give-times</source><translation>Geben Sie der Beschriftung in ELAN einen Anfang und ein Ende.</translation></message>
</context>
</TS>
