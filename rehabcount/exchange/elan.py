"""ELAN's annotation files (.eaf): segments out, for people who label along a video, and back in.

Out: one tier for each layer and arm, called `corrected right`, `counted left`, ... with the labels as a controlled
vocabulary. In: every tier whose name ends in an arm, as segments; other tiers are named and left alone.

The file carries the session's id, as a property of its header (ELAN keeps properties that it does not know). Labels of
another session are refused, and so are labels outside of the session's time. A second property names the counting whose
events were exported, and how many corrections it had: labels become corrections of that counting only.

ELAN stores whole milliseconds. `restored` gives segments that were not changed in ELAN the exact times they had before.
Annotations of one ELAN tier cannot overlap; overlapping segments of a layer are spread over `corrected right`,
`corrected right (2)`, ..., and are one layer again when read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from rehabcount.domain.document import shown
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.message import Code, Message
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.errors import ImportRefused, InputRefused, SessionUnsaid
from rehabcount.store.foreign import bytes_of
from rehabcount.store.layers import STEPS_LAYER
from rehabcount.store.notes import Counting
from rehabcount.store.private import write_private_text
from rehabcount.store.session_file import SessionFile

FORMAT = "3.0"
SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
SESSION_PROPERTY = "rehabcount-session"
MOST_ROWS = 100  # tiers of one arm; labels of people hardly ever overlap
COUNTING_PROPERTY = "rehabcount-counting"
MOST_BYTES = 32 << 20  # a session of a day, fully labelled, has ten
LAST_MARGIN_S = 1.0  # a video may be a little longer than the session, and so the last label
VOCABULARY, TIER_TYPE, LANGUAGE = "movements", "movement", "eng"
_TIER_NAME = re.compile(r"(?:(?P<layer>.*\S)\s+)?(?P<side>left|right)(?:\s*\(\d+\))?", re.IGNORECASE)
_COUNTING = re.compile(r"([0-9]{1,9}) ([0-9]{1,9}) (\S*)")
ADVICE = Message.of(Code.DO_EXPORT_AGAIN)


@dataclass(frozen=True, slots=True)
class OfCounting:
    """The counting that was exported, as it was then."""

    number: int
    corrections: int
    model: str  # its hash; a number alone may mean another counting in a copy of the session

    @classmethod
    def of(cls, counting: Counting, corrections: int) -> OfCounting:
        return cls(counting.number, corrections, counting.model)

    def is_of(self, counting: Counting) -> bool:
        return (self.number, self.model) == (counting.number, counting.model)


@dataclass(frozen=True, slots=True)
class Annotations:
    """The content of an EAF file, its tiers that name no arm, and the counting that it names."""

    layers: dict[str, tuple[Segment, ...]]
    ignored: tuple[str, ...]
    counting: OfCounting | None = None


@dataclass(frozen=True, slots=True)
class Labelled:
    """The session that is labelled: its id, and how long it is."""

    session: str
    length_s: float


def labelled(file: SessionFile) -> Labelled:
    return Labelled(file.about().get("session", ""), file.length_s())


def write_eaf(
    path: Path,
    layers: Mapping[str, Sequence[Segment]],
    session: str,
    *,
    counting: OfCounting | None = None,
    author: str = "",
) -> None:
    """An EAF file of these layers of a session. An empty layer still gets its tiers, to be filled in ELAN."""
    root = ElementTree.Element(
        "ANNOTATION_DOCUMENT",
        {
            "AUTHOR": author,
            "DATE": datetime.now(UTC).isoformat(timespec="seconds"),
            "FORMAT": FORMAT,
            "VERSION": FORMAT,
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:noNamespaceSchemaLocation": SCHEMA,
        },
    )
    header = ElementTree.SubElement(root, "HEADER", {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"})
    order = ElementTree.SubElement(root, "TIME_ORDER")
    annotations = 0
    slots: list[int] = []
    for layer, segments in layers.items():
        for name, row in _tiers(layer, segments):
            tier = ElementTree.SubElement(root, "TIER", {"LINGUISTIC_TYPE_REF": TIER_TYPE, "TIER_ID": name})
            for segment in row:
                annotations += 1
                start, end = in_milliseconds(segment)
                slots += [start, end]
                alignable = ElementTree.SubElement(
                    ElementTree.SubElement(tier, "ANNOTATION"),
                    "ALIGNABLE_ANNOTATION",
                    {
                        "ANNOTATION_ID": f"a{annotations}",
                        "TIME_SLOT_REF1": f"ts{len(slots) - 1}",
                        "TIME_SLOT_REF2": f"ts{len(slots)}",
                    },
                )
                ElementTree.SubElement(alignable, "ANNOTATION_VALUE").text = segment.label
    for number in sorted(range(len(slots)), key=lambda i: slots[i]):
        ElementTree.SubElement(
            order, "TIME_SLOT", {"TIME_SLOT_ID": f"ts{number + 1}", "TIME_VALUE": str(slots[number])}
        )
    ElementTree.SubElement(header, "PROPERTY", {"NAME": SESSION_PROPERTY}).text = session
    if counting is not None:
        said = f"{counting.number} {counting.corrections} {counting.model}"
        ElementTree.SubElement(header, "PROPERTY", {"NAME": COUNTING_PROPERTY}).text = said
    ElementTree.SubElement(header, "PROPERTY", {"NAME": "lastUsedAnnotationId"}).text = str(annotations)
    _add_vocabulary(root, {segment.label for segments in layers.values() for segment in segments})
    ElementTree.indent(root)
    text = '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
    write_private_text(path, text)


def read_eaf(
    path: Path, of: Labelled, labels: Iterable[str] = PRODUCT.names, *, sure_of_session: bool = False
) -> Annotations:
    """The segments of every tier that names an arm. Segments that do not fit the session, or whose label is not one of
    `labels`, are refused with their place in the file.

    Labels of another session are always refused. A file that names no session (an older export, or a file made in ELAN)
    raises SessionUnsaid, unless the caller confirms the session.
    """
    known, last_ms = set(labels), round((of.length_s + LAST_MARGIN_S) * 1000)
    found = _parse(path)
    said = found.session.strip()
    if said and said != of.session:
        raise ImportRefused(
            path, Message.of(Code.LABELS_OF_ANOTHER, file=path.name), advice=Message.of(Code.DO_NAME_EXPORTED)
        )
    if not (said or sure_of_session):
        raise SessionUnsaid(path, "it does not say for which session these labels were made", advice=ADVICE)
    counting = _counting_in(path, found.counting.strip())
    layers: dict[str, list[Segment]] = {}
    ignored = []
    for name in found.tiers:
        match = _TIER_NAME.fullmatch(name.strip())
        if match is None:
            ignored.append(name)
            continue
        segments = layers.setdefault(match["layer"] or "", [])
        named_freely = (match["layer"] or "").startswith(STEPS_LAYER)  # steps of an exercise have names of their own
        for annotation in found.annotations[name]:
            if annotation.label not in known and not named_freely:
                raise ImportRefused(
                    path,
                    Message.of(
                        Code.LABELS_UNKNOWN,
                        file=path.name,
                        line=annotation.line,
                        label=shown(annotation.label),
                        tier=shown(name),
                    ),
                    line=annotation.line,
                    advice=Message.of(Code.DO_KNOWN_LABELS, labels=", ".join(sorted(known))),
                )
            start, end = (_time_of(path, found.times, slot, annotation.line) for slot in annotation.slots)
            if start >= end:
                raise ImportRefused(
                    path,
                    Message.of(Code.LABELS_BACKWARDS, file=path.name, line=annotation.line, tier=shown(name)),
                    line=annotation.line,
                )
            if start < 0 or end > last_ms:
                raise ImportRefused(
                    path,
                    Message.of(
                        Code.LABELS_OUTSIDE,
                        file=path.name,
                        line=annotation.line,
                        tier=shown(name),
                        length=f"{of.length_s:.0f}",
                    ),
                    line=annotation.line,
                    advice=Message.of(Code.DO_CORRECT_IN_ELAN),
                )
            segments.append(Segment(annotation.label, Side(match["side"].lower()), start / 1000, end / 1000))
    return Annotations(
        {name: tuple(sorted(row, key=lambda s: (s.start_s, s.end_s))) for name, row in layers.items()},
        tuple(ignored),
        counting,
    )


def check_counting(path: Path, labels: Annotations, counting: Counting, *, sure: bool = False) -> None:
    """Labels of another counting are refused: all in which the two countings differ would become corrections. A file
    that names no counting raises SessionUnsaid, unless the caller is `sure`."""
    said = labels.counting
    if said is None:
        if not sure:
            raise SessionUnsaid(path, "it does not say for which counting these labels were made", advice=ADVICE)
    elif not said.is_of(counting):
        raise ImportRefused(
            path,
            Message.of(
                Code.LABELS_OF_OTHER_COUNTING,
                file=path.name,
                number=str(said.number),
                model=shown(said.model[:12]),
                here=str(counting.number),
            ),
            advice=Message.of(Code.DO_NAME_COUNTING),
        )


def is_untouched(segments: Sequence[Segment], exported: Sequence[Segment]) -> bool:
    """The labels are those that were exported, to the millisecond: no person changed any."""
    return Counter(map(_key, segments)) == Counter(map(_key, exported))


def restored(segments: Sequence[Segment], known: Sequence[Segment]) -> tuple[Segment, ...]:
    """The segments, those that equal a known one to the millisecond with its exact times."""
    exact: defaultdict[object, list[Segment]] = defaultdict(list)
    for segment in known:
        exact[_key(segment)].append(segment)
    return tuple(exact[_key(segment)].pop(0) if exact[_key(segment)] else segment for segment in segments)


def in_milliseconds(segment: Segment) -> tuple[int, int]:
    """Start and end as ELAN has them: whole, not negative, and at least one apart."""
    start = max(0, round(segment.start_s * 1000))
    return start, max(start + 1, round(segment.end_s * 1000))


def _key(segment: Segment) -> object:
    return segment.label, segment.side, in_milliseconds(segment)


def _tiers(layer: str, segments: Sequence[Segment]) -> Iterable[tuple[str, list[Segment]]]:
    for side in Side:
        rows: list[list[Segment]] = [[]]
        ends = [0]  # of the rows
        for segment in sorted((s for s in segments if s.side is side), key=in_milliseconds):
            start, end = in_milliseconds(segment)
            number = next((i for i, row_end in enumerate(ends) if row_end <= start), len(rows))
            if number == MOST_ROWS:
                raise InputRefused(
                    f"over {MOST_ROWS} labels of the {side} arm lie over each other at {start / 1000:.1f} s.",
                    advice="The labels are damaged. Look at what the session holds: rehabcount info.",
                )
            if number == len(rows):
                rows.append([])
                ends.append(0)
            rows[number].append(segment)
            ends[number] = end
        for number, row in enumerate(rows, 1):
            yield f"{layer} {side}" + (f" ({number})" if number > 1 else ""), row


def _add_vocabulary(root: ElementTree.Element, used: set[str]) -> None:
    ElementTree.SubElement(
        root,
        "LINGUISTIC_TYPE",
        {
            "CONTROLLED_VOCABULARY_REF": VOCABULARY,
            "GRAPHIC_REFERENCES": "false",
            "LINGUISTIC_TYPE_ID": TIER_TYPE,
            "TIME_ALIGNABLE": "true",
        },
    )
    definition = "http://cdb.iso.org/lg/CDB-00138502-001"
    language = {"LANG_DEF": definition, "LANG_ID": LANGUAGE, "LANG_LABEL": "English (eng)"}
    ElementTree.SubElement(root, "LANGUAGE", language)
    vocabulary = ElementTree.SubElement(root, "CONTROLLED_VOCABULARY", {"CV_ID": VOCABULARY})
    ElementTree.SubElement(vocabulary, "DESCRIPTION", {"LANG_REF": LANGUAGE}).text = "What the arm does"
    definitions = {label.name: label.definition for label in PRODUCT.labels}
    for number, name in enumerate([*definitions, *sorted(used - set(definitions))]):
        entry = ElementTree.SubElement(vocabulary, "CV_ENTRY_ML", {"CVE_ID": f"cveid{number}"})
        value = {"DESCRIPTION": definitions.get(name, ""), "LANG_REF": LANGUAGE}
        ElementTree.SubElement(entry, "CVE_VALUE", value).text = name


@dataclass(slots=True)
class _Annotation:
    slots: tuple[str, str]
    line: int
    label: str = ""


@dataclass(slots=True)
class _Parsed:
    """Filled while the file is read; expat is used directly because it gives the line number."""

    session: str = ""
    counting: str = ""
    times: dict[str, int | None] = field(default_factory=dict)
    tiers: list[str] = field(default_factory=list)
    annotations: defaultdict[str, list[_Annotation]] = field(default_factory=lambda: defaultdict(list))


def _parse(path: Path) -> _Parsed:
    found, seen = _Parsed(), Counter[str]()
    parser = expat.ParserCreate()
    reading_value = reading_session = reading_counting = False

    def start(name: str, given: dict[str, str]) -> None:
        nonlocal reading_value, reading_session, reading_counting
        seen[name] += 1
        reading_session = name == "PROPERTY" and given.get("NAME") == SESSION_PROPERTY
        reading_counting = name == "PROPERTY" and given.get("NAME") == COUNTING_PROPERTY
        if name == "TIME_SLOT":
            found.times[_wanted(given, "TIME_SLOT_ID")] = _milliseconds(given.get("TIME_VALUE"))
        elif name == "TIER":
            found.tiers.append(_wanted(given, "TIER_ID"))
        elif name == "ALIGNABLE_ANNOTATION":
            slots = _wanted(given, "TIME_SLOT_REF1"), _wanted(given, "TIME_SLOT_REF2")
            found.annotations[found.tiers[-1] if found.tiers else ""].append(
                _Annotation(slots, parser.CurrentLineNumber)
            )
        reading_value = name == "ANNOTATION_VALUE" and seen["ALIGNABLE_ANNOTATION"] > 0

    def end(name: str) -> None:
        nonlocal reading_value, reading_session, reading_counting
        reading_value = reading_session = reading_counting = False
        if name == "ALIGNABLE_ANNOTATION":
            mine = found.annotations[found.tiers[-1] if found.tiers else ""][-1]
            mine.label = mine.label.strip()

    def text(data: str) -> None:
        if reading_session:
            found.session += data
        if reading_counting:
            found.counting += data
        if reading_value and found.tiers and found.annotations[found.tiers[-1]]:
            found.annotations[found.tiers[-1]][-1].label += data

    def refuse_entities(*_: object) -> None:
        raise ValueError("it declares a document type, which ELAN never does")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.StartDoctypeDeclHandler = refuse_entities  # entities that grow without end come in through here
    try:
        parser.Parse(bytes_of(path, MOST_BYTES), True)
    except OSError as problem:
        raise ImportRefused(
            path,
            Message.of(Code.LABELS_UNREADABLE, file=path.name, why=str(problem.strerror)),
            advice=Message.of(Code.DO_NAME),
        ) from problem
    except expat.ExpatError as problem:
        reason = expat.ErrorString(problem.code)
        raise ImportRefused(
            path,
            Message.of(Code.LABELS_NOT_XML, file=path.name, line=problem.lineno, why=reason),
            line=problem.lineno,
            advice=ADVICE,
        ) from problem
    except (ValueError, LookupError) as problem:  # LookupError: an encoding that does not exist
        line = parser.CurrentLineNumber
        raise ImportRefused(
            path, Message.of(Code.LABELS_WRONG, file=path.name, line=line, what=str(problem)), line=line, advice=ADVICE
        ) from problem
    if not seen["ANNOTATION_DOCUMENT"]:
        raise ImportRefused(
            path, Message.of(Code.LABELS_NOT_ELAN, file=path.name), line=1, advice=Message.of(Code.DO_NAME_ELAN)
        )
    return found


def _counting_in(path: Path, said: str) -> OfCounting | None:
    if not said:
        return None
    match = _COUNTING.fullmatch(said)
    if match is None:
        what = f"{COUNTING_PROPERTY} is {shown(said)}"
        raise ImportRefused(path, Message.of(Code.LABELS_WRONG, file=path.name, line=1, what=what), advice=ADVICE)
    return OfCounting(int(match[1]), int(match[2]), match[3])


def _wanted(given: dict[str, str], name: str) -> str:
    if name not in given:
        raise ValueError(f"{name} is missing")
    return given[name]


def _milliseconds(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"TIME_VALUE is {shown(text)}, not a whole number") from None


def _time_of(path: Path, times: dict[str, int | None], slot: str, line: int) -> int:
    time_ms = times.get(slot)
    if time_ms is None:
        raise ImportRefused(
            path,
            Message.of(Code.LABELS_NO_TIME, file=path.name, line=line, slot=shown(slot)),
            line=line,
            advice=Message.of(Code.DO_GIVE_TIMES),
        )
    return time_ms
