"""A session file returns all that was written, in order, also with several readers at the same time."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sqlite3
import stat
import sys
import tempfile
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.dose import Count, Dose, Plan, PlannedActivity
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Place, Rig, Sensor, Side, make_rig
from rehabcount.domain.sequence import Segment, Token
from rehabcount.domain.update import (
    UPDATE_KINDS,
    Adjusted,
    Believing,
    Calibrated,
    CalibrationAsked,
    ClockJump,
    Discarded,
    Doubt,
    Draft,
    Event,
    Gap,
    Late,
    LinkState,
    Lost,
    Mark,
    Phase,
    PhaseName,
    Posed,
    Recorded,
    Repeated,
    Returned,
    Said,
    SensorHealth,
    SensorSet,
    Unmarked,
    Update,
)
from rehabcount.errors import SessionCorrupt, StoreUnwritable
from rehabcount.inference.addendum import default_belief
from rehabcount.store import documents, session_file
from rehabcount.store.connection import connect_to_read
from rehabcount.store.contents import State
from rehabcount.store.layers import REFERENCE, Layer
from rehabcount.store.packets import LONGEST_GAP_NS, SESSION, Origin, row_of
from rehabcount.store.session_file import SessionFile

Items = list[Packet | Silence]
MakeSession = Callable[..., Path]

TIMES = st.integers(-(10**15), 10**15)  # within a month of each other, as those of a session are
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SENSORS = NAMES.filter(lambda name: name != SESSION)  # entries of a session have that name
ITEMS = st.lists(
    st.builds(Packet, SENSORS, st.binary(max_size=5000), TIMES) | st.builds(Silence, SENSORS, TIMES, TIMES),
    max_size=30,
)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | FINITE | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)
SEGMENT = Segment("reach", Side.LEFT, 1.0, 2.0)
RIG = make_rig("nine", Side.RIGHT, "generic", 100.0)
CALIBRATION = Calibration(
    (Mounting("a", Place.LEFT_HAND, (1.0, 0.0, 0.5, 0.0), 0.0, 0.9, "movement"),), 0.9, Verdict.USABLE
)
SAID = (
    CalibrationAsked((Posed("still", 0.5, 3.0), Posed("elbow", 4.0, 9.5, Side.LEFT)), 12.0),
    Calibrated(CALIBRATION, True, 12.5),
    Calibrated(dataclasses.replace(CALIBRATION, quality=0.1), False, 13.0),
)


@settings(max_examples=25, deadline=None)
@given(items=ITEMS, cuts=st.lists(st.integers(0, 30), max_size=5))
def test_items_read_back_identical_however_they_were_chopped(items: Items, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(items)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.rehab"
        with SessionFile.create(path, Rig("none", ())) as file:
            for start, end in pairwise(edges):
                file.append(items[start:end])
            assert list(file.items()) == items
        with SessionFile.open(path) as file:
            assert list(file.items()) == items
            assert [seq for seq, _ in file.numbered_items()] == list(range(1, len(items) + 1))
            assert list(file.items(after_seq=len(items) // 2)) == items[len(items) // 2 :]


@settings(max_examples=25, deadline=None)
@given(contents=st.lists(st.dictionaries(NAMES, JSON, max_size=4), min_size=1, max_size=3), name=NAMES)
def test_documents_round_trip_and_the_newest_holds(contents: list[dict[str, object]], name: str) -> None:
    if name == "rig":
        return
    kind = documents.DocumentKind(name, dict[str, Any])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.rehab"
        with SessionFile.create(path, Rig("none", ())) as file:
            for content in contents:
                file.put_document(kind, content)
        with SessionFile.open(path) as file:
            assert file.document(kind) == contents[-1]
            assert [version.content for version in file.document_versions(kind)] == contents


def test_dataclasses_are_documents(make_session: MakeSession) -> None:
    mounting = Mounting("a", Place.LEFT_HAND, (1.0, 0.0, 0.5, 0.0), 0.0, 0.9, "movement", (Message.free("loose"),))
    calibration = Calibration((mounting,), 0.9, Verdict.USABLE, (Message.of(Code.WORN_OTHERWISE, place="left-hand"),))
    path = make_session()
    with SessionFile.annotate(path) as file:
        file.put_document(documents.CALIBRATION, calibration)
    with SessionFile.open(path) as file:
        assert file.document(documents.CALIBRATION) == calibration
        assert file.document(documents.PLAN) == Plan((PlannedActivity("glass to shelf", 20),))
        assert file.document(documents.DOSE) is None
        with pytest.raises(SessionCorrupt, match="plan"):
            file.document(documents.DocumentKind(documents.PLAN.name, Calibration))


def test_what_was_said_stands_among_the_packets_in_its_place(tmp_path: Path) -> None:
    health = SensorHealth("a", LinkState.STALE, 1.0, 59.5, 0.01, 1.2, 80, -60, "hci0", 1, 2, "ü")
    packet = Packet("pelvis", b"{}", 5)
    items: list[Recorded] = [
        *(Said(what, 1) for what in (*SAID, Phase(PhaseName.PAUSED, 0.0), health)),
        packet,
        Said(Mark(0.0, "mid"), 4),
        packet,
    ]
    path = tmp_path / "said.rehab"
    with SessionFile.create(path, RIG, origin=Origin(0, None)) as file:
        file.append(items)
        with pytest.raises(ValueError, match="session"):
            file.append([Packet("session", b"", 1)])
        file.close_session()
    with SessionFile.open(path) as file:
        assert list(file.items()) == items
        contents = file.contents()
        assert contents.packets == 2
        assert "session" not in [sensor.name for sensor in contents.sensors]
    raw = sqlite3.connect(path)
    raw.execute("UPDATE packet SET payload = X'7B7D' WHERE seq = 1")
    raw.commit()
    raw.close()
    with SessionFile.open(path) as file, pytest.raises(SessionCorrupt, match="unknown entry"):
        list(file.items())


def test_the_calibration_that_counting_used_is_found_unless_there_is_a_later_one(
    make_session: MakeSession,
) -> None:
    asked, found, refused = SAID
    assert isinstance(found, Calibrated)
    path = make_session()
    with SessionFile.annotate(path) as file:
        assert file.calibration() is None
        file.begin_counting("model")
        file.accept(asked, found, refused)
        assert file.calibration() == found.calibration
        better = dataclasses.replace(found.calibration, quality=1.0)
        file.put_document(documents.CALIBRATION, better)
        assert file.calibration() == better


def test_numbers_that_json_lacks_are_refused(make_session: MakeSession) -> None:
    path = make_session()
    with SessionFile.annotate(path) as file:
        with pytest.raises(ValueError, match="JSON compliant"):
            file.put_document(documents.PLAN, Plan((PlannedActivity("shelf", cast(int, float("nan"))),)))
        assert file.document(documents.PLAN) is not None


def test_every_kind_of_update_is_kept_in_order_and_by_counting(make_session: MakeSession) -> None:
    token = Token("reach", Side.RIGHT, 0.5, 1.5, 0.75)
    updates: list[Update] = [
        Draft((token,)),
        Draft(()),
        Event(1, SEGMENT, 0.9),
        Dose((Count("reach", Side.LEFT, 3, 4.5),), 12.0, Plan()),
        Gap("a", 1.0, 2.0),
        Lost("a", 1.0),
        Returned("a", 2.0),
        Late(0.5),
        ClockJump("a", 1.0, -3.0),
        Discarded("a", Message.of(Code.PACKET_CUT_SHORT), 3, 1.0),
        SensorHealth("a", LinkState.STALE, 1.0, 59.5, 0.01, 1.2, 80, -60, "hci0", 1, 2, "ü"),
        Mark(1.0, "ü"),
        Unmarked(1.0),
        Adjusted(-1, 1.0, "shelf", "AB"),
        Phase(PhaseName.COUNTING, 1.0, "shelf"),
        *SAID,
        SensorSet(Side.LEFT, ("a", "calibration"), 1.0),
        Doubt("a", Message.of(Code.TRUNK_TILTED), 1.0),
        Believing(default_belief()),
        Repeated("curl", Side.LEFT, 2, 1.0, 2.5, 0.9, 1.1, None, 0.05),
    ]
    assert {type(update) for update in updates} == set(UPDATE_KINDS)
    path = make_session()
    with SessionFile.annotate(path) as file:
        first = [counting.number for counting in file.countings()]
        live = file.begin_counting("model a").number
        file.accept(*updates)
        again = file.begin_counting("model b").number
        file.accept(updates[2])
    with SessionFile.open(path) as file:
        assert list(file.updates(live)) == updates
        assert list(file.updates(again)) == [updates[2]]
        assert list(file.updates(None)) == [Mark(1.0, "before counting")]
        assert len(list(file.updates(first[0]))) == 3
        assert [counting.model for counting in file.countings()] == ["0" * 64, "model a", "model b"]


def test_corrections_stand_beside_the_event(make_session: MakeSession) -> None:
    path = make_session()
    with SessionFile.annotate(path) as file:
        counting = file.countings()[0].number
        before = list(file.updates(counting))
        replaced = Correction(Action.REPLACE, "th", 5, event=1, segment=SEGMENT)
        added = Correction(Action.ADD, "th", 6, segment=SEGMENT, note="missed")
        file.correct(counting, replaced)
        file.correct(counting, added)
    with SessionFile.open(path) as file:
        assert file.corrections(counting)[1:] == (replaced, added)
        assert file.corrections(counting)[0].action is Action.REMOVE
        assert list(file.updates(counting)) == before


@pytest.mark.parametrize(
    ("action", "event", "segment"),
    [
        (Action.ADD, 1, SEGMENT),
        (Action.ADD, None, None),
        (Action.REMOVE, None, None),
        (Action.REMOVE, 1, SEGMENT),
        (Action.REPLACE, 1, None),
    ],
)
def test_a_correction_that_makes_no_sense_is_refused(
    action: Action, event: int | None, segment: Segment | None
) -> None:
    with pytest.raises(ValueError, match="correction"):
        Correction(action, "th", 0, event, segment)


def test_segments_are_kept_by_layer(make_session: MakeSession) -> None:
    path = make_session()
    second = [Segment("idle", Side.RIGHT, 0.0, 0.0), Segment("transport", Side.LEFT, 0.25, 7.0)]
    with SessionFile.annotate(path) as file:
        file.add_segments(Layer("second annotator"), second)
    with SessionFile.open(path) as file:
        assert file.layers() == ("reference", "second annotator")
        assert file.segments(Layer("second annotator")) == tuple(second)
        assert len(file.segments(REFERENCE)) == 3
        assert file.segments(Layer("third annotator")) == ()


def test_contents_add_up(make_session: MakeSession, items_from: Callable[..., Items], rig: Rig) -> None:
    items = items_from(1000)
    with SessionFile.open(make_session(number=1000)) as file:
        contents = file.contents()
    assert contents.state is State.CLOSED
    assert contents.packets == sum(isinstance(item, Packet) for item in items)
    assert contents.silences == sum(isinstance(item, Silence) for item in items) == 10
    assert (contents.first_ns, contents.last_ns) == (items[0].received_ns, items[-1].received_ns)
    assert contents.length_s == pytest.approx(999 * 1_111_111e-9)
    assert [sensor.name for sensor in contents.sensors] == list(rig.names)
    pelvis = [item.received_ns for item in items if item.sensor == "pelvis" and isinstance(item, Packet)]
    found = contents.sensors[0]
    assert (found.packets, found.place, found.rate_hz) == (len(pelvis), "pelvis", 100.0)
    assert found.packets_hz == pytest.approx((len(pelvis) - 1) / ((pelvis[-1] - pelvis[0]) / 1e9))
    assert contents.documents == ("rig", "plan", "import")
    assert (contents.countings, contents.updates, contents.events) == (1, 4, 3)
    assert (contents.corrections, contents.segments, contents.layers) == (1, 3, ("reference",))


def test_an_empty_session_has_contents_too(tmp_path: Path, rig: Rig) -> None:
    with SessionFile.create(tmp_path / "a.rehab", rig) as file:
        contents = file.contents()
        assert list(file.items()) == []
    assert (contents.packets, contents.first_ns, contents.length_s) == (0, None, 0.0)
    assert contents.state is State.RECORDING
    assert all(sensor.packets_hz is None for sensor in contents.sensors)


def test_a_sensor_without_an_entry_is_recorded_and_can_be_described_later(tmp_path: Path, rig: Rig) -> None:
    stranger = Packet("stranger", b"\x01", 5)
    with SessionFile.create(tmp_path / "a.rehab", rig) as file:
        file.append([stranger])
        assert file.contents().sensors[-1].layout is None
        wider = Rig("ten", (*rig.sensors, Sensor("stranger", None, "some layout", 60.0, "SN 1")))
        file.set_rig(wider)
        file.append([stranger])
        assert list(file.items()) == [stranger, stranger]
        assert file.rig == wider
        assert (file.contents().sensors[-1].serial, file.contents().sensors[-1].packets) == ("SN 1", 2)
        with pytest.raises(ValueError, match="set_rig"):
            file.put_document(documents.RIG, rig)


def test_a_failed_append_leaves_nothing_and_later_ones_work(tmp_path: Path, rig: Rig) -> None:
    good, bad = Packet("new sensor", b"1", 1), Packet("new sensor", b"1", 2**63)
    with SessionFile.create(tmp_path / "a.rehab", rig) as file:
        with pytest.raises(ValueError, match="64 bits"):
            file.append([good, bad])
        assert list(file.items()) == []
        file.append([good])
        assert list(file.items()) == [good]


@pytest.mark.parametrize(
    "item",
    [
        Packet("a", "text", 1),  # type: ignore[arg-type]
        Packet("a", b"", 1.5),  # type: ignore[arg-type]
        Packet("\ud800", b"", 1),
        Silence("a", -(2**63) - 1, 0),
    ],
)
def test_what_cannot_be_stored_is_refused_at_once(item: Packet | Silence) -> None:
    with pytest.raises((TypeError, ValueError)):
        row_of(item)


def test_only_who_holds_the_lock_appends(make_session: MakeSession) -> None:
    path = make_session(closed=False)
    with SessionFile.annotate(path) as file, pytest.raises(ValueError, match="takes packets"):
        file.append([])


def test_a_closed_session_takes_no_packets(make_session: MakeSession) -> None:
    path = make_session()
    with pytest.raises(StoreUnwritable, match="closed") as caught:
        SessionFile.record(path)
    assert caught.value.advice


def test_seq_before_finds_the_place(make_session: MakeSession, items_from: Callable[..., Items]) -> None:
    items = items_from(200)
    with SessionFile.open(make_session(number=200)) as file:
        for i, item in enumerate(items):
            assert file.seq_before(item.received_ns) == i
            assert file.seq_before(item.received_ns + 1) == i + 1
        assert file.seq_before(0) == 0
        assert file.seq_before(2**62) == 200


def test_a_closed_session_is_one_file_of_its_owner(tmp_path: Path, rig: Rig) -> None:
    folder = tmp_path / "patients" / "sessions"
    path = folder / "a.rehab"
    with SessionFile.create(path, rig) as file:
        file.append([Packet("pelvis", b"1", 1)])
        if sys.platform != "win32":
            for beside in folder.iterdir():
                assert stat.S_IMODE(beside.stat().st_mode) == 0o600, beside
            assert {beside.name[7:] for beside in folder.iterdir()} == {"", "-wal", "-shm", ".lock"}
        file.close_session()
    assert list(folder.iterdir()) == [path]
    if sys.platform != "win32":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


def test_whoever_leaves_last_sweeps(make_session: MakeSession) -> None:
    path = make_session(closed=False)
    reader = SessionFile.open(path)
    assert next(reader.items())
    with SessionFile.record(path) as writer:
        writer.close_session()
    assert next(reader.items())
    reader.close()
    assert list(path.parent.iterdir()) == [path]


def test_a_tool_that_died_in_mid_transaction_is_undone(
    make_session: MakeSession, items_from: Callable[..., Items], tmp_path: Path
) -> None:
    """A closed session has a rollback journal; a reader alone could not apply the journal of a dead writer."""
    path, copy = make_session(), tmp_path / "copy.rehab"
    tool = sqlite3.connect(path, isolation_level=None)
    tool.execute("PRAGMA cache_size = 1")
    tool.execute("BEGIN")
    tool.execute("UPDATE packet SET payload = zeroblob(200) WHERE payload IS NOT NULL")
    for suffix in ("", "-journal"):
        shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
    tool.execute("ROLLBACK")
    tool.close()
    assert copy.read_bytes() != path.read_bytes()
    with SessionFile.open(copy) as file:
        assert list(file.items()) == items_from(1000)
        assert file.damage() == ()


def test_reading_and_annotating_leave_the_packets_alone(make_session: MakeSession) -> None:
    path = make_session()
    before = path.read_bytes()
    with SessionFile.open(path) as file:
        file.contents()
        assert len(list(file.items())) == 1000
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "name", ["a b.rehab", "ä ß 漢.rehab", "50%20off?mode=x#y.rehab", "[bold]x[-].rehab", "'\".rehab"]
)
def test_odd_names(make_session: MakeSession, name: str) -> None:
    if sys.platform == "win32" and set(name) & set('?"'):
        pytest.skip("Windows has no such names")
    path = make_session(name, number=10)
    with SessionFile.open(path) as file:
        assert len(list(file.items())) == 10
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(sys.platform != "linux", reason="file names of arbitrary bytes are a Linux matter")
def test_a_name_that_is_not_text(make_session: MakeSession) -> None:
    name = os.fsdecode(b"caf\xe9.rehab")
    path = make_session(name, number=10)
    with SessionFile.open(path) as file:
        assert len(list(file.items())) == 10


def test_a_reader_sees_whole_transactions_while_another_thread_writes(tmp_path: Path, rig: Rig) -> None:
    path = tmp_path / "a.rehab"
    ready, done = threading.Event(), threading.Event()

    def write() -> None:
        with SessionFile.create(path, rig) as file:
            ready.set()
            for batch in range(60):
                file.append([Packet("pelvis", batch.to_bytes(2, "big"), i) for i in range(7)])
            done.set()

    writer = threading.Thread(target=write)
    writer.start()
    assert ready.wait(10)
    sizes: list[int] = []
    with SessionFile.open(path) as reader:
        while not done.is_set() or sizes[-1] < 420:
            sizes.append(len(list(reader.items())))
    writer.join()
    assert all(size % 7 == 0 for size in sizes)
    assert sizes == sorted(sizes)
    assert sizes[-1] == 420


def test_a_continued_session_has_one_timeline_with_the_gap_in_it(tmp_path: Path, rig: Rig) -> None:
    second_ns = 10**9
    with SessionFile.create(tmp_path / "a.rehab", rig, origin=Origin(900 * second_ns, 5000 * second_ns)) as file:
        file.append([Packet("pelvis", b"1", 910 * second_ns)])
        # 60 s later by UTC; the host was restarted, and its clock with it
        stretch = file.begin_stretch(Origin(2 * second_ns, 5060 * second_ns))
        file.append([Packet("pelvis", b"2", 3 * second_ns + stretch.shift_ns)])
        items = list(file.items())
        assert file.stretches()[1] == stretch
    assert stretch.first_seq == 2
    assert [item.received_ns // second_ns for item in items] == [910, *[960] * len(rig), 961]
    silences = items[1:-1]
    assert all(isinstance(item, Silence) and item.since_ns == 910 * second_ns for item in silences)
    assert {item.sensor for item in silences if isinstance(item, Silence)} == set(rig.names)


@pytest.mark.parametrize(
    ("origin", "gap_ns"),
    [
        (Origin(2, None), 1),  # the length of the gap is unknown
        (Origin(2, 0), 1),  # UTC was set back
        (Origin(2, 9 * 10**18), LONGEST_GAP_NS + 1),  # or far ahead
    ],
)
def test_time_never_goes_back_and_never_leaps_out_of_reach(
    tmp_path: Path, rig: Rig, origin: Origin, gap_ns: int
) -> None:
    with SessionFile.create(tmp_path / "a.rehab", rig, origin=Origin(0, 10**18)) as file:
        file.append([Packet("pelvis", b"1", 10**15)])
        stretch = file.begin_stretch(origin)
    assert origin.host_ns + stretch.shift_ns - 10**15 == gap_ns


def test_stored_types_are_frozen(make_session: MakeSession) -> None:
    with SessionFile.open(make_session()) as file:
        contents = file.contents()
    with pytest.raises(dataclasses.FrozenInstanceError):
        contents.packets = 0  # type: ignore[misc]


def test_updates_of_some_kinds_only(make_session: MakeSession) -> None:
    path = make_session()
    with SessionFile.annotate(path) as file:
        number = file.begin_counting("model a").number
        events = [Event(i, SEGMENT, 0.5) for i in (1, 2)]
        file.accept(Draft(()), events[0], Late(1.0), events[1], Gap("a", 0.0, 1.0))
        assert list(file.updates(number, Event)) == events
        assert list(file.updates(number, Gap, Late)) == [Late(1.0), Gap("a", 0.0, 1.0)]
        assert list(file.updates(number, Mark)) == []


def test_length_is_that_of_the_packets_without_entries_before_and_after(tmp_path: Path) -> None:
    said = Mark(0.0)
    with SessionFile.create(tmp_path / "a.rehab", Rig("one", (Sensor("a", None, "x", 1.0),))) as file:
        assert file.length_s() == 0.0
        file.append([Said(said, 9 * 10**9)])
        assert file.length_s() == 0.0
        file.append([Packet("a", b"", 10**9), Packet("a", b"", 3 * 10**9), Silence("a", 0, 4 * 10**9)])
        file.append([Said(said, 8 * 10**9)])
        assert file.length_s() == 3.0


def test_a_place_that_the_system_refuses_to_look_at(tmp_path: Path) -> None:
    with pytest.raises(StoreUnwritable) as caught:
        SessionFile.create(tmp_path / ("x" * 300) / "a.rehab", make_rig("one", Side.LEFT, "dot", 60.0))
    assert caught.value.advice


def test_hours_of_packets_are_counted_by_several_threads_with_the_same_result(
    make_session: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_session(number=4000)
    with SessionFile.open(path) as file:
        alone = file.contents()
        monkeypatch.setattr("rehabcount.store.contents.ROWS_A_THREAD", 900)
        monkeypatch.setattr("rehabcount.store.contents.os.cpu_count", lambda: 8)
        opened: list[Path] = []

        def counted(path: Path) -> sqlite3.Connection:
            opened.append(path)
            return connect_to_read(path)

        monkeypatch.setattr(session_file, "connect_to_read", counted)
        assert file.contents() == alone
        assert len(opened) == 4
