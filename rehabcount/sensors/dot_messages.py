"""Messages of a Movella DOT: `MID LEN DATA.. CHK`, and their use for synchronisation. Pure.

The checksum makes the sum of all bytes a multiple of 256. A characteristic may pad a message with zeros behind it.

Synchronisation gives all sensors one clock: every sensor is told the root's address (`start_sync`), all are
disconnected, they listen to the root for some 14 s, and afterwards each one says how it went (`read_sync_result`). A
sensor stays synchronised until it is told otherwise or switched off, and refuses a second synchronisation: ask first
(`ASK_SYNC`), stop (`STOP_SYNC`) at the end of a session.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from rehabcount.errors import PacketMalformed

HEAD_BYTES = 2
SYNC_RESULT, SYNC_STOPPED, SYNC_STATUS = 0x03, 0x50, 0x51  # what an answer about synchronisation is about


class MessageKind(IntEnum):
    RECORDING = 1
    SYNC = 2
    CONFIGURATION = 3


@dataclass(frozen=True, slots=True)
class DotMessage:
    kind: MessageKind
    data: bytes


def write_message(kind: MessageKind, data: bytes) -> bytes:
    if len(data) > 0xFF:
        raise ValueError(f"data of a message must have at most 255 bytes, not {len(data)}")
    body = bytes((kind, len(data))) + data
    return body + bytes((-sum(body) & 0xFF,))


def read_message(raw: bytes) -> DotMessage:
    if len(raw) < HEAD_BYTES + 1:
        raise PacketMalformed("message cut short")
    end = HEAD_BYTES + raw[1] + 1
    if len(raw) < end:
        raise PacketMalformed("message cut short")
    if any(raw[end:]):
        raise PacketMalformed("message of wrong length")
    if sum(raw[:end]) & 0xFF:
        raise PacketMalformed("message with a wrong checksum")
    if raw[0] not in list(MessageKind):
        raise PacketMalformed("unknown message")
    return DotMessage(MessageKind(raw[0]), raw[HEAD_BYTES : end - 1])


class SyncResult(IntEnum):
    """How a synchronisation went, and what state it left the sensor in."""

    DONE = 0
    SYNCED = 4
    TOO_FEW_SAMPLES = 5
    SKEW_TOO_LARGE = 7
    START_FAILED = 8
    NOT_STARTED = 9


def start_sync(root_address: str) -> bytes:
    """To every sensor, the root included. `root_address` as people write it, most significant byte first."""
    root = bytes.fromhex(root_address.replace(":", ""))
    if len(root) != 6:
        raise ValueError(f"root_address must have six bytes, not {root_address!r}")
    return write_message(MessageKind.SYNC, b"\x01" + root[::-1])


ASK_SYNC = write_message(MessageKind.SYNC, b"\x08")
STOP_SYNC = write_message(MessageKind.SYNC, b"\x02")


def read_sync_answer(raw: bytes) -> tuple[int, SyncResult]:
    """The kind of the answer (SYNC_RESULT, SYNC_STATUS, SYNC_STOPPED) and its content."""
    message = read_message(raw)
    if message.kind is not MessageKind.SYNC or len(message.data) < 2:
        raise PacketMalformed("answer about something else")
    about, result = message.data[:2]
    if about not in (SYNC_RESULT, SYNC_STATUS, SYNC_STOPPED) or result not in list(SyncResult):
        raise PacketMalformed("answer about something else")
    return about, SyncResult(result)
