"""ELAN's files, altered in their tiers, times, ids and bytes, through `annotate`."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.exchange.elan import OfCounting, labelled, write_eaf
from rehabcount.store.layers import CORRECTED, COUNTED
from rehabcount.store.session_file import SessionFile
from tests.fuzz import sessions
from tests.fuzz.child import Attempts
from tests.fuzz.mutate import ESCAPES, command, mutated_bytes, nested, odd_value, put_in_place_of

TIMES = (
    "1" + "0" * 400,
    "-1",
    "1e400",
    "1.5",
    "",
    "nan",
    "0x10",
    "9" * 5000,
    "9" * 200_000,
    "99999999999",
    "\u0661\u0662",
)
BOMB = '<!DOCTYPE a [<!ENTITY b "' + "c" * 5000 + '"><!ENTITY d "' + "&b;" * 500 + '">]>'
EXTERNAL = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    session = place / "seed.rehab"
    sessions.make(session)
    with SessionFile.open(session) as file:
        of, counting = labelled(file), OfCounting.of(file.countings()[-1], 2)
    segments = [Segment("reach", Side.RIGHT, i * 1.0, i + 0.5) for i in range(5)]
    write_eaf(place / "seed.eaf", {CORRECTED: segments, COUNTED: segments[:2]}, of.session, counting=counting)
    text = (place / "seed.eaf").read_text(encoding="utf-8")

    def case(rng: random.Random, folder: Path) -> Attempts:
        path = folder / "a.eaf"
        path.write_bytes(_altered(rng, text))
        if rng.random() < 0.03:
            put_in_place_of(rng, path)
        shutil.copyfile(session, folder / "a.rehab")
        words: list[object] = ["annotate", folder / "a.rehab", path, "--by", "AB"]
        words += ["--yes"] if rng.random() < 0.5 else []
        words += rng.choice(([], ["--reference", "r"], ["--json"], ["--tiers", "counted"]))
        return [("annotate", command(*words)), ("report", command("report", folder / "a.rehab", "--no-pdf", "--json"))]

    return case


def _altered(rng: random.Random, text: str) -> bytes:
    if rng.random() < 0.15:
        return mutated_bytes(rng, text.encode())
    for _ in range(rng.choice((1, 1, 2, 4))):
        text = rng.choice((_value, _value, _value, _time, _time, _line, _whole))(rng, text)
    return text.encode("utf-8", "surrogatepass")


def _value(rng: random.Random, text: str) -> str:
    """What an attribute or an element says."""
    found = list(re.finditer(r'="([^"]*)"|>([^<>\n]+)<', text))
    if not found:
        return text
    chosen = rng.choice(found)
    said = str(rng.choice((odd_value(rng), ESCAPES, "corrected left", "reach", "ts1", "x", "")))
    said = said.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\0", "")
    if rng.random() < 0.7:  # what XML forbids would end it there
        said = re.sub(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]", "", said) if rng.random() < 0.7 else said
    start, end = chosen.span(1 if chosen[1] is not None else 2)
    return text[:start] + said + text[end:]


def _time(rng: random.Random, text: str) -> str:
    found = list(re.finditer(r'TIME_VALUE="([^"]*)"', text))
    if not found:
        return text
    start, end = rng.choice(found).span(1)
    return text[:start] + rng.choice(TIMES) + text[end:]


def _line(rng: random.Random, text: str) -> str:
    lines = text.splitlines() or [""]
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines[at:at] = [lines[at]] * rng.choice((1, 3, 20_000 if len(lines[at]) < 200 and len(lines) < 1000 else 5))
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at:at] = lines[other : other + 8]
    return "\n".join(lines)


def _whole(rng: random.Random, text: str) -> str:
    head, _, rest = text.partition("\n")
    match rng.randrange(7):
        case 0:
            return head + rng.choice((BOMB, EXTERNAL)) + rest.replace("reach", "&d;")
        case 1:
            return head + "<a>" * 100_000 + "</a>" * 100_000
        case 2:
            return text[: rng.randrange(len(text))]
        case 3:
            return rng.choice(("", "<a/>", "<ANNOTATION_DOCUMENT/>", nested(rng), "\ufeff" + text, "\0" * 50))
        case 4:
            return text.replace(
                'encoding="UTF-8"', rng.choice(('encoding="UTF-16"', 'encoding="x"', 'encoding="latin-1"'))
            )
        case 5:
            return head + "<!--" + "x" * 3_000_000 + "-->" + rest
        case _:
            at = rest.find("<TIER")
            return head + rest[:at] + "<TIER TIER_ID='x right'>" * 3000 + rest[at:]
