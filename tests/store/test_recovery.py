"""Interrupted sessions are closed or continued; all remaining rows of damaged files are saved."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import MOST_SENSORS, Rig, Side, make_rig
from rehabcount.errors import SessionBusy, SessionCorrupt, SessionForeign, SessionNewer, StoreUnwritable
from rehabcount.store import schema
from rehabcount.store.contents import State
from rehabcount.store.documents import IMPORT, SALVAGE
from rehabcount.store.pages import Pages, read_varint
from rehabcount.store.recorder import Recorder
from rehabcount.store.recovery import close_interrupted, salvage, shapes_of
from rehabcount.store.session_file import SessionFile

MakeSession = Callable[..., Path]
Items = list[Packet | Silence]
PAGE = schema.PAGE_SIZE


def tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, as SQLite itself reads them."""
    opened = sqlite3.connect(path)
    names = [name for (name,) in opened.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    rows = {name: opened.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall() for name in names}
    opened.close()
    return rows


def rows_on_pages(path: Path) -> dict[str, list[tuple[object, ...]]]:
    memory = sqlite3.connect(":memory:")
    schema.migrate_one(memory)
    shapes = shapes_of(memory)
    memory.close()
    found: dict[str, list[tuple[object, ...]]] = {shape.table: [] for shape in shapes}
    pages = Pages(path)
    for number in range(1, pages.number + 1):
        for cell in pages.rows(number, shapes):
            assert cell is not None
            found[cell[0].table].append(cell[1])
    pages.close()
    return found


def interrupted(path: Path, to: Path) -> Path:
    """The session as a crash would leave it: file and log copied while it was open."""
    for suffix in ("", "-wal"):
        shutil.copyfile(f"{path}{suffix}", f"{to}{suffix}")
    return to


# -- closing and continuing -------------------------------------------------------------------------------------------


def test_an_interrupted_session_is_closed(make_session: MakeSession, items_from: Callable[..., Items]) -> None:
    path = make_session(closed=False)
    found, contents = close_interrupted(path)
    assert found is State.INTERRUPTED
    assert (contents.state, contents.packets) == (State.CLOSED, 990)
    with SessionFile.open(path) as file:
        assert list(file.items()) == items_from(1000)
        assert file.about()["closed_by"] == "recovery"
    assert list(path.parent.iterdir()) == [path]


def test_a_closed_session_is_left_as_it_is(make_session: MakeSession) -> None:
    path = make_session()
    before = path.read_bytes()
    found, contents = close_interrupted(path)
    assert (found, contents.state) == (State.CLOSED, State.CLOSED)
    assert path.read_bytes() == before


def test_an_interrupted_session_takes_more_packets(make_session: MakeSession, items_from: Callable[..., Items]) -> None:
    path = make_session(closed=False)
    with Recorder(path) as recorder:
        recorder.accept(Packet("pelvis", b"later", 2 * 10**15))
    with SessionFile.open(path) as file:
        items = list(file.items())
        assert items[:1000] == items_from(1000)
        assert isinstance(items[-1], Packet)
        assert items[-1].payload == b"later"
        assert file.state() is State.CLOSED


def test_a_session_that_is_being_recorded_is_left_alone(make_session: MakeSession, tmp_path: Path) -> None:
    path = make_session(closed=False)
    with SessionFile.record(path):
        for attempt in (close_interrupted, lambda path: salvage(path, tmp_path / "new.rehab")):
            with pytest.raises(SessionBusy):
                attempt(path)
    assert not (tmp_path / "new.rehab").exists()


def test_damage_is_refused_before_anything_is_changed(make_session: MakeSession) -> None:
    path = make_session(number=5000)
    with path.open("r+b") as file:
        file.seek(60 * PAGE)
        file.write(bytes(PAGE * 3))
    before = path.read_bytes()
    with pytest.raises(SessionCorrupt) as caught:
        close_interrupted(path)
    assert "--out" in caught.value.advice
    assert path.read_bytes() == before


# -- reading pages ----------------------------------------------------------------------------------------------------


@given(value=st.integers(0, 2**64 - 1), before=st.binary(max_size=3))
def test_varints(value: int, before: bytes) -> None:
    if value < 2**56:
        groups = [value >> 7 * i & 0x7F for i in range(max(1, -(-value.bit_length() // 7)))]
        encoded = bytes([group | 0x80 for group in reversed(groups[1:])] + groups[:1])
    else:
        encoded = bytes([value >> 8 + 7 * i & 0x7F | 0x80 for i in reversed(range(8))] + [value & 0xFF])
    assert read_varint(before + encoded + b"\xff", len(before)) == (value, len(before) + len(encoded))


def test_pages_of_a_sound_file_hold_what_sqlite_reads(make_session: MakeSession) -> None:
    path = make_session(number=30_000)
    found, expected = rows_on_pages(path), tables(path)
    for table, rows in expected.items():
        assert sorted(found[table], key=repr) == sorted(rows, key=repr), table


ROWS = st.lists(
    st.builds(Packet, st.sampled_from("abc"), st.binary(max_size=9000), st.integers(-(10**15), 10**15)), max_size=12
)


@settings(max_examples=25, deadline=None)
@given(batches=st.lists(ROWS, max_size=4), checkpointed=st.booleans(), data=st.data())
def test_a_torn_log_is_read_as_sqlite_reads_it(batches: list[Items], checkpointed: bool, data: st.DataObject) -> None:
    """Power fails during a write: complete commits before the tear are kept, and none after it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.rehab"
        with SessionFile.create(path, Rig("none", ())) as file:
            file.append([Packet("a", b"first", 0)])
            if checkpointed:
                file._connection.execute("PRAGMA wal_checkpoint(RESTART)")
            sizes = [1]
            for batch in batches:
                file.append(batch)
                sizes.append(sizes[-1] + len(batch))
            torn = interrupted(path, Path(folder) / "torn.rehab")
        log = torn.with_name("torn.rehab-wal")
        size = log.stat().st_size
        os.truncate(log, data.draw(st.integers(0, size)))
        on_pages = rows_on_pages(torn)["packet"]
        with SessionFile.open(torn) as session:
            assert session.damage() == ()
            by_sqlite = list(session.items())
        assert len(by_sqlite) in [0, *sizes]
        everything = [Packet("a", b"first", 0), *(item for batch in batches for item in batch)]
        assert by_sqlite == everything[: len(by_sqlite)]
        assert sorted(row[0] for row in on_pages) == list(range(1, len(by_sqlite) + 1))  # type: ignore[type-var]


# -- salvage ----------------------------------------------------------------------------------------------------------


def payload(i: int) -> bytes:
    """63 unique bytes: a search through the bytes of a file shows whether packet i is there."""
    return b"packet" + i.to_bytes(4, "big") + hashlib.sha512(i.to_bytes(4, "big")).digest()[:53]


def packets_in(content: bytes) -> list[int]:
    """Which packets' payloads occur, whole, in the bytes."""
    places = [
        (match.start(), int.from_bytes(match[1], "big")) for match in re.finditer(rb"packet(....)", content, re.S)
    ]
    return sorted({i for start, i in places if content[start : start + 63] == payload(i)})


@pytest.fixture(scope="module")
def long_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Long enough (900 leaves) for the tree of its packets to have grown a level, half a minute into the session."""
    path = tmp_path_factory.mktemp("long") / "a.rehab"
    rig = make_rig("nine", Side.RIGHT, "layout", 100.0)
    with SessionFile.create(path, rig) as file:
        for first in range(0, 40_000, 1000):
            file.append([Packet(rig.names[i % 9], payload(i), i) for i in range(first, first + 1000)])
            file.put_document(IMPORT, {"first": first, "long": "x" * 6000})
        file.close_session()
    return path


@pytest.mark.parametrize("cut", [0.999, 0.9, 0.5001, 0.3, 0.05])
def test_every_packet_whose_bytes_are_there_is_saved(long_session: Path, tmp_path: Path, cut: float) -> None:
    damaged = tmp_path / "damaged.rehab"
    remaining = long_session.read_bytes()[: int(long_session.stat().st_size * cut)]
    damaged.write_bytes(remaining)
    present = packets_in(remaining)
    assert len(present) == pytest.approx(40_000 * cut, abs=600)
    saved = salvage(damaged, tmp_path / "new.rehab")
    assert damaged.read_bytes() == remaining
    assert saved.contents.packets == len(present)
    with SessionFile.open(tmp_path / "new.rehab") as file:
        assert file.damage() == ()
        assert file.state() is State.CLOSED
        assert file.rig.sensors == make_rig("nine", Side.RIGHT, "layout", 100.0).sensors
        assert file.about()["salvaged_from"] == "damaged.rehab"
        names = file.rig.names
        assert list(file.numbered_items()) == [(i + 1, Packet(names[i % 9], payload(i), i)) for i in present]


@pytest.mark.parametrize("cut", [i / 40 for i in range(1, 40)])
def test_what_a_cut_takes_is_stated_neither_too_small_nor_much_too_large(
    long_session: Path, tmp_path: Path, cut: float
) -> None:
    damaged, number = tmp_path / "damaged.rehab", long_session.stat().st_size // PAGE
    shutil.copyfile(long_session, damaged)
    os.truncate(damaged, round(number * cut) * PAGE)
    lost = salvage(damaged, tmp_path / "new.rehab").losses
    truly = 40_000 - lost.packets
    assert lost.missing_most is not None
    assert lost.missing <= truly <= lost.missing_most
    # Up to here the inner pages are there, and name all lost rows except those on the last page.
    assert lost.missing_most <= (lost.missing + 100 if cut >= 0.65 else 1.25 * truly + 100)
    documents = {each.table: each.number for each in lost.others}.get("document", 0)
    with SessionFile.open(tmp_path / "new.rehab") as file:
        there = len(file.document_versions(IMPORT))
        assert file.document(SALVAGE) == lost
    assert abs(40 - there - documents) <= 1
    assert f"{number - round(number * cut)} of the file's {number} pages are missing" in lost.words()


@pytest.mark.parametrize("header", [True, False])
def test_how_much_is_missing_can_be_unknown(make_session: MakeSession, tmp_path: Path, header: bool) -> None:
    """If the pages with that information are lost, no number is given."""
    path = make_session(number=5000)
    pages = bytearray(path.read_bytes())
    root = sqlite3.connect(path).execute("SELECT rootpage FROM sqlite_schema WHERE name = 'packet'").fetchone()[0]
    pages[(root - 1) * PAGE : root * PAGE] = bytes(PAGE)
    if not header:
        pages[:PAGE] = bytes(PAGE)
    path.write_bytes(pages[: len(pages) // PAGE * 2 // 3 * PAGE])
    lost = salvage(path, tmp_path / "new.rehab").losses
    assert lost.missing == 0
    if header:
        assert lost.missing_most is not None
        assert 5000 - lost.packets <= lost.missing_most < 20_000
    else:
        assert lost.missing_most is None
        assert "whether packets came behind the last one cannot be known" in lost.words()


def test_what_was_salvaged_twice_lacks_what_it_lacked_before(long_session: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.rehab"
    shutil.copyfile(long_session, damaged)
    os.truncate(damaged, damaged.stat().st_size // PAGE // 2 * PAGE)
    first = salvage(damaged, tmp_path / "first.rehab").losses
    second = salvage(tmp_path / "first.rehab", tmp_path / "second.rehab").losses
    assert (second.missing, second.missing_most) == (first.missing, first.missing_most)
    assert second.others == first.others


def test_a_number_that_no_session_comes_to_is_no_loss(make_session: MakeSession, tmp_path: Path) -> None:
    path = make_session()
    raw = sqlite3.connect(path)
    raw.execute("UPDATE packet SET seq = 1000000000000000 WHERE seq = 1000")
    raw.commit()
    raw.close()
    lost = salvage(path, tmp_path / "new.rehab").losses
    assert (lost.missing, lost.unreadable) == (0, 1)


def test_holes_in_the_middle_cost_only_what_was_in_them(long_session: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.rehab"
    content = bytearray(long_session.read_bytes())
    content[0:PAGE] = bytes(PAGE)  # the header and the list of tables
    content[300 * PAGE : 305 * PAGE] = os.urandom(5 * PAGE)
    content[500 * PAGE : 700 * PAGE] = bytes(200 * PAGE)
    damaged.write_bytes(content)
    with pytest.raises(SessionForeign, match=r"damaged\.rehab") as caught:
        SessionFile.open(damaged)
    assert "--out" in caught.value.advice
    saved = salvage(damaged, tmp_path / "new.rehab")
    assert saved.losses.missing + saved.contents.packets == 40_000
    assert 170 * 40 < saved.losses.missing < 210 * 50
    with SessionFile.open(tmp_path / "new.rehab") as file:
        names = file.rig.names
        assert all(
            item == Packet(names[item.received_ns % 9], payload(item.received_ns), item.received_ns)
            for item in file.items()
        )


def test_rows_that_are_only_in_the_log_are_saved_too(make_session: MakeSession, tmp_path: Path, rig: Rig) -> None:
    path = make_session(number=2000, closed=False)
    with SessionFile.record(path) as file:
        file.append([Packet("pelvis", b"in the log", 10**15 + 2**50)])
        crashed = interrupted(path, tmp_path / "crashed.rehab")
    os.truncate(crashed, crashed.stat().st_size // 2)
    saved = salvage(crashed, tmp_path / "new.rehab")
    assert saved.losses.missing > 0
    with SessionFile.open(tmp_path / "new.rehab") as session:
        assert list(session.items())[-1] == Packet("pelvis", b"in the log", 10**15 + 2**50)
        assert saved.losses.missing + len(list(session.items())) == 2001


def test_a_sound_file_is_copied_whole(make_session: MakeSession, tmp_path: Path) -> None:
    path, new = make_session(), tmp_path / "new.rehab"
    told: list[tuple[int, int]] = []
    saved = salvage(path, new, lambda done, of: told.append((done, of)))
    assert (saved.losses.missing, saved.losses.unreadable) == (0, 0)
    assert told[-1] == (path.stat().st_size // PAGE,) * 2
    before, after = tables(path), tables(new)
    about: dict[object, object] = dict(before.pop("about"))  # type: ignore[arg-type]
    about_after: dict[object, object] = dict(after.pop("about"))  # type: ignore[arg-type]
    assert after == before
    assert about_after["session"] == about["session"]
    assert about_after["created_utc"] == about["created_utc"]


def test_sensors_whose_names_are_lost_keep_their_packets(make_session: MakeSession, tmp_path: Path) -> None:
    path = make_session()
    raw = sqlite3.connect(path)
    raw.execute("DELETE FROM sensor WHERE name = 'pelvis'")
    raw.commit()
    raw.close()
    salvage(path, tmp_path / "new.rehab")
    with SessionFile.open(tmp_path / "new.rehab") as file:
        assert len(list(file.items())) == 1000
        first = next(file.items())
        assert isinstance(first, Packet)
        assert first.sensor == "sensor 1"


@pytest.mark.parametrize("content", [b"", b"notes\n" * 2000, bytes(3 * PAGE), b"\x0d" + b"\xff" * 3 * PAGE])
def test_nothing_is_made_of_files_that_hold_no_session(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.rehab").write_bytes(content)
    with pytest.raises(SessionForeign):
        salvage(tmp_path / "a.rehab", tmp_path / "new.rehab")
    assert [path.name for path in tmp_path.iterdir()] == ["a.rehab"]


@pytest.fixture
def other_database(tmp_path: Path) -> Path:
    path = tmp_path / "other.rehab"
    opened = sqlite3.connect(path)
    opened.execute("CREATE TABLE about (key TEXT, value TEXT)")
    opened.execute("INSERT INTO about VALUES ('a', 'b')")
    opened.commit()
    opened.close()
    return path


def test_other_databases_and_newer_sessions_are_not_picked_apart(
    other_database: Path, make_session: MakeSession, tmp_path: Path
) -> None:
    with pytest.raises(SessionForeign):
        salvage(other_database, tmp_path / "new.rehab")
    path = make_session()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(SessionNewer):
        salvage(path, tmp_path / "new.rehab")
    assert not (tmp_path / "new.rehab").exists()


def test_an_existing_file_is_not_salvaged_over(make_session: MakeSession) -> None:
    path, other = make_session(), make_session("b.rehab", number=5)
    before = other.read_bytes()
    for target in (other, path):
        with pytest.raises(StoreUnwritable, match="exists"):
            salvage(path, target)
    assert other.read_bytes() == before
    with SessionFile.open(path) as file:
        assert len(list(file.items())) == 1000


def test_an_older_damaged_file_is_salvaged_and_brought_up_to_date(
    make_session: MakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_session(number=5000)
    os.truncate(path, path.stat().st_size // 2)
    later = ("CREATE TABLE novelty (a INTEGER PRIMARY KEY)",)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, later))
    saved = salvage(path, tmp_path / "new.rehab")
    assert saved.contents.schema == 2
    assert saved.contents.packets > 1000


def test_places_that_two_sensors_claim_or_nothing_knows_are_lost(make_session: MakeSession, tmp_path: Path) -> None:
    path = make_session()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM document WHERE name = 'rig'")
        names = [name for (name,) in connection.execute("SELECT name FROM sensor WHERE place IS NOT NULL ORDER BY id")]
        connection.execute("UPDATE sensor SET place = 'right-wrist' WHERE name IN (?, ?)", names[:2])
        connection.execute("UPDATE sensor SET place = 'tail' WHERE name = ?", (names[2],))
    new = tmp_path / "new.rehab"
    salvage(path, new)
    with SessionFile.open(new) as file:
        places = {sensor.name: sensor.place for sensor in file.rig.sensors}
    assert [places[name] for name in names[:3]] == [None, None, None]
    assert places[names[3]] is not None


def test_a_table_of_hundreds_of_sensors_is_salvaged_as_far_as_a_rig_goes(
    make_session: MakeSession, tmp_path: Path
) -> None:
    path = make_session()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM document WHERE name = 'rig'")
        rows = [(f"s{i}", "", "layout", 60.0) for i in range(200)]
        connection.executemany("INSERT INTO sensor (name, serial, layout, rate_hz) VALUES (?, ?, ?, ?)", rows)
    new = tmp_path / "new.rehab"
    salvage(path, new)
    with SessionFile.open(new) as file:
        assert len(file.rig) == MOST_SENSORS
