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
</context>
</TS>
