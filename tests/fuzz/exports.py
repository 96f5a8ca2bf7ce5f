"""Vendors' exports of motion, altered in cells, columns, lines and bytes, through `import` and then its session."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import Samples
from rehabcount.sensors.encode import encode
from tests.fuzz.child import Attempts
from tests.fuzz.mutate import ESCAPES, command, mutated_bytes, mutated_text, odd_value, put_in_place_of
from tests.signals.motions import arm_motion, read

NUMBERS = (
    "1e15",
    "-1e15",
    "1e400",
    "1e308",
    "9" * 400,
    "0",
    "-1",
    "nan",
    "inf",
    "1e-300",
    "4294967295",
    "1e18",
    "0.0000001",
)
MOMENTS = ("2026-13-45 10:00:00", "9999-12-31 23:59:59.999", "0001-01-01 00:00:00", "99:99:99", "1e18", "-1", "\u0661")


def _table(names: str, rows: Sequence[Sequence[object]], before: str = "", separator: str = ",") -> str:
    lines = [separator.join(f"{cell:.6f}" if isinstance(cell, float) else str(cell) for cell in row) for row in rows]
    return before + "\n".join((names.replace(",", separator), *lines)) + "\n"


def seeds_of(readings: Floats) -> dict[str, dict[str, bytes]]:
    """Files by name, by the family that writes them."""
    acc, gyr = readings[:, 0, :3], np.degrees(readings[:, 0, 3:])
    both: list[list[Any]] = [[*map(float, a), *map(float, g)] for a, g in zip(acc, gyr, strict=True)]
    dot = [[i, 5 + round(i * 1e6 / 60), *row] for i, row in enumerate(both)]
    head = "sep=,\nDeviceTag:,7\nSyncStatus:,Synced\nOutputRate:,60Hz\nStartTime: ,2023-01-02_03:04:05_006\n\n"
    names = "PacketCounter,SampleTimeFine,Acc_X,Acc_Y,Acc_Z,Gyr_X,Gyr_Y,Gyr_Z"
    wit = [[f"2026-03-01 10:00:{i // 100:02}.{i % 100 * 10:03}", "WT", *row] for i, row in enumerate(both)]
    epoch = [[1_700_000_000_000 + 10 * i, "x", i / 100, *row] for i, row in enumerate(both)]
    metas = ("epoc (ms),timestamp (+0100),elapsed (s),x-axis ({0}),y-axis ({0}),z-axis ({0})",)
    meta = "Right_2023-01-01T10.00.00.000_AABBCCDDEEFF_{}_100.000Hz.csv"
    tick = np.arange(len(readings)) * 10_000 + 10**9
    quat = np.tile((1.0, 0.0, 0.0, 0.0), (len(readings), 1))
    stream = Samples("a", tick * 1000, tick, readings[:, 0, :3], readings[:, 0, 3:], quat)
    return {
        "dot": {"RWrist_20230102_030405_006.csv": _table(names, dot, head).encode()},
        "dots": {f"{each}_20230102_030405_006.csv": _table(names, dot, head).encode() for each in ("RHand", "Pelvis")},
        "meta": {
            meta.format("Accelerometer"): _table(
                metas[0].format("g"), [r[:3] + [a / 9.81 for a in r[3:6]] for r in epoch]
            ).encode(),
            meta.format("Gyroscope"): _table(metas[0].format("deg/s"), [r[:3] + r[6:] for r in epoch]).encode(),
        },
        "wit": {
            "a.csv": _table(
                "time,DeviceName,AccX(g),AccY(g),AccZ(g),AsX(\u00b0/s),AsY(\u00b0/s),AsZ(\u00b0/s)",
                [r[:2] + [a / 9.81 for a in r[2:5]] + r[5:] for r in wit],
            ).encode()
        },
        "wit tabs": {
            "a.txt": _table(
                "time,ax,ay,az,wx,wy,wz", [[i / 100, *row] for i, row in enumerate(both)], "", "\t"
            ).encode()
        },
        "capture": {"a.bin": b"".join(packet.payload for packet in encode(stream, "wit-28"))},
        "short capture": {"a.bin": b"".join(packet.payload for packet in encode(stream, "wit-20"))},
    }


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    readings, _ = read(arm_motion(6.0), np.random.default_rng(0), tilt_rad=0.2, noise=0.1)
    seeds = seeds_of(readings)

    def case(rng: random.Random, folder: Path) -> Attempts:
        kind = rng.choice(list(seeds))
        export = folder / "export"
        export.mkdir()
        for name, content in seeds[kind].items():
            (export / name).write_bytes(content)
        chosen = rng.choice(sorted(export.iterdir()))
        chosen.write_bytes(_altered(rng, chosen.read_bytes()))
        if rng.random() < 0.03:
            put_in_place_of(rng, chosen)
        given = export if rng.random() < 0.3 else chosen
        out = folder / "out.rehab"
        rate = ("--rate", rng.choice((50, 100, 60, 1e9, 0.1, 1e-5))) if rng.random() < 0.3 else ()

        def bring() -> None:
            command("import", given, "--out", out, *rate)()

        after = rng.choice(("info", "report", "recover", "export"))
        more = ("--out", folder / "tables") if after == "export" else ("--no-pdf",) if after == "report" else ()

        def look() -> None:
            if out.exists():
                command(after, out, *more)()

        return [(f"import {kind}", bring), (f"{after} {kind}", look)]

    return case


def _altered(rng: random.Random, data: bytes) -> bytes:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return mutated_bytes(rng, data)
    if rng.random() < 0.4:
        return mutated_text(rng, text)
    lines = text.splitlines()
    header = next(i for i, line in enumerate(lines) if line.count(",") > 3 or line.count("\t") > 3)
    separator = max(",\t", key=lines[header].count)
    for _ in range(rng.choice((1, 1, 2, 3))):
        rng.choice((_cell, _cell, _column, _column, _name, _preamble))(rng, lines, header, separator)
    return "\n".join(lines).encode(rng.choice(("utf-8", "utf-8", "utf-8", "utf-16", "utf-8-sig")), "surrogatepass")


def _odd(rng: random.Random) -> str:
    return rng.choice((*NUMBERS, *MOMENTS, str(odd_value(rng)).replace("\r", "")))


def _cell(rng: random.Random, lines: list[str], header: int, separator: str) -> None:
    at = rng.choice((header + 1, len(lines) - 1, rng.randrange(header, len(lines))))
    cells = lines[at].split(separator)
    cells[rng.randrange(min(len(cells), 4))] = _odd(rng)
    lines[at] = separator.join(cells)


def _column(rng: random.Random, lines: list[str], header: int, separator: str) -> None:
    """One column, often that of time, in all lines."""
    column = rng.choice((0, 1, 2, rng.randrange(8)))
    factor = rng.choice((0.0, -1.0, 1e3, 1e6, 1e12, 1e-9, 1e300))
    odd = _odd(rng) if rng.random() < 0.4 else None
    for at in range(header + 1, len(lines)):
        cells = lines[at].split(separator)
        if column < len(cells):
            try:
                cells[column] = odd if odd is not None else repr(float(cells[column]) * factor)
            except ValueError:
                cells[column] = rng.choice(MOMENTS)
            lines[at] = separator.join(cells)


def _name(rng: random.Random, lines: list[str], header: int, separator: str) -> None:
    cells = lines[header].split(separator)
    known = (
        "PacketCounter",
        "SampleTimeFine",
        "Quat_W",
        "Quat_X",
        "Euler_X",
        "dv[1]",
        "FreeAcc_X",
        "Address",
        "Status",
        "Epoch",
        "Elapsed",
        "ChipTime",
        "time",
        "Acc_X(mg)",
        "roll",
        ESCAPES,
        "y" * 200_000,
        "",
    )
    cells[rng.randrange(len(cells))] = rng.choice(known)
    lines[header] = separator.join(cells)


def _preamble(rng: random.Random, lines: list[str], header: int, separator: str) -> None:
    rates = ("0Hz", "1e9Hz", "99999999999999999999Hz", "0.000001Hz", "-1Hz", "60 Hz", "x")
    line = rng.choice(
        [f"OutputRate:,{each}" for each in rates] + [f"DeviceTag:,{_odd(rng)}", f"StartTime:,{_odd(rng)}"]
    )
    lines[:0] = [line]
    if header and rng.random() < 0.8:
        del lines[rng.randrange(1, header + 1)]
