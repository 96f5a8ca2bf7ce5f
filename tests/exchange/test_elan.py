"""Through ELAN's file and back: what nobody touched comes back as it was, what was touched as it was touched."""

from __future__ import annotations

import re
import tempfile
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain import editing
from rehabcount.domain.editing import Author, Editing
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.errors import ImportRefused
from rehabcount.exchange.elan import CORRECTED, in_milliseconds, read_eaf, restored, write_eaf
from tests.counted import make_events

SEGMENTS = st.lists(
    st.builds(
        lambda label, side, start_s, length_s: Segment(label, side, start_s, start_s + length_s),
        st.sampled_from(PRODUCT.names),
        st.sampled_from(Side),
        st.floats(0, 36_000),
        st.floats(0, 30),
    ),
    max_size=25,
)


def order(segment: Segment) -> tuple[object, ...]:
    return segment.side, segment.start_s, segment.end_s, segment.label


@settings(max_examples=60)
@given(segments=SEGMENTS)
def test_any_segments_come_back_unchanged(segments: list[Segment]) -> None:
    """Overlapping ones, ones of a fraction of a millisecond, and equal ones included."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.eaf"
        write_eaf(path, {CORRECTED: segments, "empty": []})
        found = read_eaf(path)
        check_elan_accepts(path)
    assert found.ignored == ()
    assert found.layers["empty"] == ()
    back = restored(found.layers[CORRECTED], segments)
    assert sorted(back, key=order) == sorted(segments, key=order)


def check_elan_accepts(path: Path) -> None:
    """What ELAN insists on: slots in order of time, references that exist, no overlap within a tier."""
    root = ElementTree.parse(path).getroot()
    times = {slot.attrib["TIME_SLOT_ID"]: int(slot.attrib["TIME_VALUE"]) for slot in root.iter("TIME_SLOT")}
    assert list(times.values()) == sorted(times.values())
    children = [child.tag for child in root]
    wanted = ["HEADER", "TIME_ORDER", "TIER", "LINGUISTIC_TYPE", "LANGUAGE", "CONTROLLED_VOCABULARY"]
    assert list(dict.fromkeys(children)) == wanted
    for tier in root.iter("TIER"):
        spans = [
            (times[each.attrib["TIME_SLOT_REF1"]], times[each.attrib["TIME_SLOT_REF2"]])
            for each in tier.iter("ALIGNABLE_ANNOTATION")
        ]
        assert all(start < end for start, end in spans)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
    names = [tier.attrib["TIER_ID"] for tier in root.iter("TIER")]
    assert len(set(names)) == len(names)


def test_corrected_events_are_unchanged_by_the_way_there_and_back(tmp_path: Path) -> None:
    author = Author("AB", 1)
    state = Editing(tuple(make_events(120)))
    state = editing.split(state, 3, sum((state[3].segment.start_s, state[3].segment.end_s)) / 2 + 1e-5, author)
    before = [each.segment for each in state.standing]
    write_eaf(tmp_path / "a.eaf", {CORRECTED: before})
    back = restored(read_eaf(tmp_path / "a.eaf").layers[CORRECTED], before)
    assert editing.replace_all(state, back, author, "ELAN") == state  # not a single row


def test_what_was_changed_in_elan_becomes_a_correction_of_that_event(tmp_path: Path) -> None:
    author = Author("AB", 1)
    state = Editing(tuple(make_events(60)))
    before = [each.segment for each in state.standing]
    path = tmp_path / "a.eaf"
    write_eaf(path, {CORRECTED: before})
    path.write_text(re.sub(r">reach</ANNOTATION_VALUE>", ">transport</ANNOTATION_VALUE>", path.read_text(), count=1))
    back = restored(read_eaf(path).layers[CORRECTED], before)
    after = editing.replace_all(state, back, author, "ELAN")
    (said,) = after.corrections
    assert said.action == "replace"
    assert said.segment is not None
    assert said.segment.label == "transport"
    assert said.event == next(each.number for each in state.standing if each.segment.label == "reach")


def test_tiers_of_others_are_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.eaf"
    write_eaf(path, {"anna": [Segment("reach", Side.LEFT, 1.0, 2.0)]})
    text = path.read_text().replace('TIER_ID="anna right"', 'TIER_ID="speech"').replace('"anna left"', '"Left"')
    path.write_text(text)
    found = read_eaf(path)
    assert found.ignored == ("speech",)
    assert found.layers == {"": (Segment("reach", Side.LEFT, 1.0, 2.0),)}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (">reach<", ">juggle<", r"line 12: unknown label 'juggle' in tier 'anna left'"),
        ("</TIER>", "", "not valid XML"),
        ('TIME_VALUE="1000"', "", "time slot ts1 has no time"),
        ('TIME_VALUE="1000"', 'TIME_VALUE="soon"', "not a whole number"),
        ('TIME_VALUE="2000"', 'TIME_VALUE="900"', "ends before it starts"),
        ('TIME_SLOT_REF1="ts1"', "", "TIME_SLOT_REF1 is missing"),
        ("ANNOTATION_DOCUMENT", "HTML", "not an annotation file of ELAN"),
        ("<ANNOTATION_DOCUMENT", '<!DOCTYPE a [<!ENTITY b "c">]><ANNOTATION_DOCUMENT', "document type"),
    ],
)
def test_bad_files_are_refused_where_they_are_bad(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    path = tmp_path / "a.eaf"
    write_eaf(path, {"anna": [Segment("reach", Side.LEFT, 1.0, 2.0)]})
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ImportRefused, match=complaint):
        read_eaf(path)
    with pytest.raises(ImportRefused, match="cannot be read"):
        read_eaf(tmp_path / "b.eaf")


def test_milliseconds_are_whole_and_never_empty() -> None:
    assert in_milliseconds(Segment("reach", Side.LEFT, 1.2345, 1.2345)) == (1234, 1235)
    assert in_milliseconds(Segment("reach", Side.LEFT, 0.0004, 0.0016)) == (0, 2)
