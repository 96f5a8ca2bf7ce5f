"""Through ELAN's file and back: unchanged segments come back exactly, changed ones with the changes."""

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
from rehabcount.errors import ImportRefused, InputRefused, SessionUnsaid
from rehabcount.exchange.elan import Labelled, OfCounting, in_milliseconds, read_eaf, restored, write_eaf
from rehabcount.store.layers import CORRECTED
from tests.counted import make_events

OF = Labelled("5e551017", 36_030.0)
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
        write_eaf(path, {CORRECTED: segments, "empty": []}, OF.session)
        found = read_eaf(path, OF)
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
    write_eaf(tmp_path / "a.eaf", {CORRECTED: before}, OF.session)
    back = restored(read_eaf(tmp_path / "a.eaf", OF).layers[CORRECTED], before)
    assert editing.replace_all(state, back, author, "ELAN") == state  # not a single row


def test_what_was_changed_in_elan_becomes_a_correction_of_that_event(tmp_path: Path) -> None:
    author = Author("AB", 1)
    state = Editing(tuple(make_events(60)))
    before = [each.segment for each in state.standing]
    path = tmp_path / "a.eaf"
    write_eaf(path, {CORRECTED: before}, OF.session)
    path.write_text(re.sub(r">reach</ANNOTATION_VALUE>", ">transport</ANNOTATION_VALUE>", path.read_text(), count=1))
    back = restored(read_eaf(path, OF).layers[CORRECTED], before)
    after = editing.replace_all(state, back, author, "ELAN")
    (said,) = after.corrections
    assert said.action == "replace"
    assert said.segment is not None
    assert said.segment.label == "transport"
    assert said.event == next(each.number for each in state.standing if each.segment.label == "reach")


def test_tiers_of_others_are_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.eaf"
    write_eaf(path, {"anna": [Segment("reach", Side.LEFT, 1.0, 2.0)]}, OF.session)
    text = path.read_text().replace('TIER_ID="anna right"', 'TIER_ID="speech"').replace('"anna left"', '"Left"')
    path.write_text(text)
    found = read_eaf(path, OF)
    assert found.ignored == ("speech",)
    assert found.layers == {"": (Segment("reach", Side.LEFT, 1.0, 2.0),)}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (">reach<", ">juggle<", r"line 13: unknown label 'juggle' in tier 'anna left'"),
        ("</TIER>", "", "not valid XML"),
        ('TIME_VALUE="1000"', "", "time slot .ts1. has no time"),
        ('TIME_VALUE="1000"', 'TIME_VALUE="soon"', "not a whole number"),
        ('TIME_VALUE="2000"', 'TIME_VALUE="900"', "ends before it starts"),
        ('TIME_SLOT_REF1="ts1"', "", "TIME_SLOT_REF1 is missing"),
        ("ANNOTATION_DOCUMENT", "HTML", "not an annotation file of ELAN"),
        ("<ANNOTATION_DOCUMENT", '<!DOCTYPE a [<!ENTITY b "c">]><ANNOTATION_DOCUMENT', "document type"),
    ],
)
def test_bad_files_are_refused_where_they_are_bad(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    path = tmp_path / "a.eaf"
    write_eaf(path, {"anna": [Segment("reach", Side.LEFT, 1.0, 2.0)]}, OF.session)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ImportRefused, match=complaint):
        read_eaf(path, OF)
    with pytest.raises(ImportRefused, match="cannot be read"):
        read_eaf(tmp_path / "b.eaf", OF)


def test_milliseconds_are_whole_and_never_empty() -> None:
    assert in_milliseconds(Segment("reach", Side.LEFT, 1.2345, 1.2345)) == (1234, 1235)
    assert in_milliseconds(Segment("reach", Side.LEFT, 0.0004, 0.0016)) == (0, 2)


# -- of which session -------------------------------------------------------------------------------------------------

REACH: dict[str, list[Segment]] = {CORRECTED: [Segment("reach", Side.LEFT, 1.0, 2.0)]}


def test_labels_of_another_session_are_refused_even_to_who_is_sure(tmp_path: Path) -> None:
    write_eaf(tmp_path / "a.eaf", REACH, "0ther")
    for sure in (False, True):
        with pytest.raises(ImportRefused, match="made for another session") as caught:
            read_eaf(tmp_path / "a.eaf", OF, sure_of_session=sure)
        assert not isinstance(caught.value, SessionUnsaid)


@pytest.mark.parametrize("text", ["", " "])
def test_a_file_that_names_no_session_needs_somebody_who_is_sure(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.eaf"
    write_eaf(path, REACH, text)
    without = re.sub(r" *<PROPERTY NAME=.rehabcount-session.*\n", "", path.read_text())
    for content in (path.read_text(), without):
        path.write_text(content)
        with pytest.raises(SessionUnsaid, match="does not say"):
            read_eaf(path, OF)
        assert read_eaf(path, OF, sure_of_session=True).layers[CORRECTED] == tuple(REACH[CORRECTED])


def test_the_session_stands_where_elan_keeps_what_it_does_not_know(tmp_path: Path) -> None:
    write_eaf(tmp_path / "a.eaf", REACH, OF.session, counting=OfCounting(2, 3, "ab" * 32))
    header = ElementTree.parse(tmp_path / "a.eaf").getroot().find("HEADER")
    assert header is not None
    assert {each.attrib["NAME"]: each.text for each in header.iter("PROPERTY")} == {
        "rehabcount-session": OF.session,
        "rehabcount-counting": f"2 3 {'ab' * 32}",
        "lastUsedAnnotationId": "1",
    }


def test_the_counting_comes_back_or_is_refused(tmp_path: Path) -> None:
    path, counting = tmp_path / "a.eaf", OfCounting(2, 3, "ab" * 32)
    write_eaf(path, REACH, OF.session, counting=counting)
    assert read_eaf(path, OF).counting == counting
    path.write_text(path.read_text().replace(">2 3 ab", ">two ab"))
    with pytest.raises(ImportRefused, match="rehabcount-counting is"):
        read_eaf(path, OF)


@pytest.mark.parametrize("value", ["900000000", "55001", "9" * 400, "-1"])
def test_what_lies_outside_of_the_session_is_refused_with_its_line(tmp_path: Path, value: str) -> None:
    path = tmp_path / "a.eaf"
    write_eaf(path, REACH, OF.session)
    slot, new = ("1000", value) if value == "-1" else ("2000", value)
    path.write_text(path.read_text().replace(f'TIME_VALUE="{slot}"', f'TIME_VALUE="{new}"'))
    with pytest.raises(ImportRefused, match=r"line \d+: .*outside of the session, which is 54 s long") as caught:
        read_eaf(path, Labelled(OF.session, 54.0))
    line = path.read_text().splitlines()[(caught.value.line or 0) - 1]
    assert "ALIGNABLE_ANNOTATION" in line


def test_a_label_may_end_with_the_video_a_moment_after_the_session(tmp_path: Path) -> None:
    write_eaf(tmp_path / "a.eaf", {CORRECTED: [Segment("reach", Side.LEFT, 53.0, 54.9)]}, OF.session)
    assert read_eaf(tmp_path / "a.eaf", Labelled(OF.session, 54.0)).layers[CORRECTED]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('encoding="UTF-8"', 'encoding="nothing"'), "encoding"),
        (('TIME_VALUE="1000"', 'TIME_VALUE="' + "9" * 5000 + '"'), "not a whole number"),
        ((">reach<", ">" + "y" * 100_000 + "<"), "unknown label"),
    ],
)
def test_what_elan_never_writes_is_refused_briefly(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    path = tmp_path / "a.eaf"
    write_eaf(path, REACH, OF.session)
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(ImportRefused, match=said) as caught:
        read_eaf(path, OF)
    assert len(str(caught.value)) < 200


def test_a_file_beyond_all_measure_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.eaf").open("wb") as file:
        file.truncate(1 << 33)
    with pytest.raises(ImportRefused, match="none has more"):
        read_eaf(tmp_path / "a.eaf", OF)


def test_thousands_of_labels_over_each_other_are_refused_and_a_hundred_are_not(tmp_path: Path) -> None:
    """Each needs a tier of its own: without a limit the time grows with the square of their number."""
    over = [Segment("reach", Side.LEFT, i / 1000, 100.0) for i in range(101)]
    write_eaf(tmp_path / "a.eaf", {CORRECTED: over[:100]}, OF.session)
    with pytest.raises(InputRefused, match="over 100 labels of the left arm"):
        write_eaf(tmp_path / "b.eaf", {CORRECTED: over}, OF.session)
    assert not (tmp_path / "b.eaf").exists()
