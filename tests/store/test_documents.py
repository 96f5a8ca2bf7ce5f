"""Documents keep the names and the forms that they had: files of every version are read."""

from __future__ import annotations

import json
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rehabcount.domain.document import to_document
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.session_summary import ModelFacts
from rehabcount.errors import SessionCorrupt
from rehabcount.store import documents
from rehabcount.store.documents import (
    COUNTED_FROM,
    COUNTED_SIDE,
    DOSE,
    MODEL,
    PATIENT,
    PLAN,
    SALVAGE,
    SIDE,
    SIMULATION,
    CountedFrom,
    CountedSide,
    DocumentKind,
    Documents,
    Owner,
    TrainedSide,
)
from rehabcount.store.library import Standing, look_at
from rehabcount.store.recovery import salvage
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

BEFORE = Path(__file__).parents[1] / "sessions_before"
KINDS = {kind.name: kind for kind in vars(documents).values() if isinstance(kind, DocumentKind)}
SHA256 = "0" * 64
# As version 0.1.0 wrote them, with their content. The model's comes from terminal, window and recount.
OTHERS: Documents = {PATIENT: Owner("P-01", Side.RIGHT), SIDE: TrainedSide(Side.LEFT), SIMULATION: {}}
OLD: tuple[tuple[DocumentKind[Any], str, object], ...] = (
    (MODEL, f'{{"name":"stream 1.5","sha256":"{SHA256}"}}', ModelFacts(SHA256, "stream 1.5")),
    (
        MODEL,
        f'{{"name":"stream","version":"1.5","sha256":"{SHA256}","evidence":"simulated","evidence_people":0}}',
        ModelFacts(SHA256, "stream", "1.5", "simulated"),
    ),
    (
        MODEL,
        json.dumps(to_document(ModelFacts(SHA256, "stream", "1.5", "real patients", 9, True, 21.0))),
        ModelFacts(SHA256, "stream", "1.5", "real patients", 9, True, 21.0),
    ),
    (SIDE, '{"side":"left"}', TrainedSide(Side.LEFT)),
    (PATIENT, '{"code":"P-01","side":"right"}', Owner("P-01", Side.RIGHT)),
    (PLAN, '{"activities":[{"name":"shelf","target":null}]}', Plan((PlannedActivity("shelf"),))),
    (COUNTED_SIDE, '{"counting":2,"side":"left"}', CountedSide(2, Side.LEFT)),
    (
        COUNTED_FROM,
        '{"counting":2,"key":"ab","updates":7,"length_s":40}',
        CountedFrom(2, "ab", 7, 40.0),
    ),
    (SIMULATION, '{"side":"left","name":"virtual sensors"}', {"side": "left", "name": "virtual sensors"}),
)


def session(folder: Path, given: Documents | None = None) -> Path:
    path = folder / "a.rehab"
    with SessionFile.create(path, make_rig("one", Side.LEFT, "generic", 100.0)) as file:
        for kind, content in (given or {}).items():
            file.put_document(kind, content)
        file.close_session()
    return path


def in_file(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as raw:
        return raw.execute("SELECT name, content FROM document ORDER BY number").fetchall()


@pytest.mark.parametrize(("kind", "text", "content"), OLD)
def test_old_forms_are_read(tmp_path: Path, kind: DocumentKind[Any], text: str, content: object) -> None:
    path = session(tmp_path)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("INSERT INTO document (name, at_utc_ns, content) VALUES (?, 0, ?)", (kind.name, text))
        raw.commit()
    with SessionFile.open(path) as file:
        assert file.document(kind) == content
        assert [version.content for version in file.document_versions(kind)] == [content]


@pytest.mark.parametrize(("kind", "text", "content"), [each for each in OLD if each[0] is not MODEL])
def test_new_ones_are_written_as_the_old_were(
    tmp_path: Path, kind: DocumentKind[Any], text: str, content: object
) -> None:
    path = session(tmp_path, {kind: content})
    assert [(name, json.loads(found)) for name, found in in_file(path)[1:]] == [(kind.name, json.loads(text))]


@pytest.mark.parametrize("name", sorted(path.name for path in BEFORE.glob("*.rehab.xz")))
def test_every_document_of_an_old_session_has_its_kind(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.rehab"
    path.write_bytes(lzma.decompress((BEFORE / name).read_bytes()))
    there = in_file(path)
    assert {document for document, _ in there} <= set(KINDS)
    with SessionFile.open(path) as file:
        for document, text in there:
            written, read = json.loads(text), to_document(file.document(KINDS[document]))
            assert {key: read[key] for key in written} == written  # newer fields have their default


def test_what_does_not_fit_its_kind_is_damage(tmp_path: Path) -> None:
    path = session(tmp_path)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("INSERT INTO document (name, at_utc_ns, content) VALUES ('side', 0, '{\"side\":\"up\"}')")
        raw.commit()
    with SessionFile.open(path) as file, pytest.raises(SessionCorrupt, match="side must be one of left, right"):
        file.document(SIDE)


def put_raw(path: Path, name: str, text: str) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("INSERT INTO document (name, at_utc_ns, content) VALUES (?, 0, ?)", (name, text))
        raw.commit()


def test_all_kinds_are_listed() -> None:
    assert set(documents.KINDS) == set(KINDS.values())


ILLEGIBLE = [(PATIENT, '{"code":5}'), (PATIENT, "[]"), (SIMULATION, "7"), (PLAN, "[]"), (DOSE, '"much"'), (SIDE, "{")]


@pytest.mark.parametrize(("kind", "text"), ILLEGIBLE)
def test_an_illegible_document_keeps_a_session_from_no_list(tmp_path: Path, kind: DocumentKind[Any], text: str) -> None:
    path = session(tmp_path, OTHERS)
    put_raw(path, kind.name, text)
    entry = look_at(path)
    assert (entry.standing, entry.figures.trouble) == (Standing.CLOSED, "")
    assert entry.patient == (None if kind is PATIENT else "P-01")  # an earlier owner may be another person
    assert entry.figures.simulated
    with SessionFile.open(path) as file:
        assert side_of(file) is (Side.RIGHT if kind is SIDE else Side.LEFT)
        assert file.legible(kind) is None
        assert file.has_document(kind)


@pytest.mark.parametrize("kind", documents.KINDS)
def test_a_salvage_leaves_out_what_is_illegible(tmp_path: Path, kind: DocumentKind[Any]) -> None:
    path = session(tmp_path, OTHERS)
    with SessionFile.open(path) as file:
        before = file.document(kind)
    put_raw(path, kind.name, "[[]]")
    lost = salvage(path, tmp_path / "new.rehab").losses
    assert lost.unreadable == 1
    with SessionFile.open(tmp_path / "new.rehab") as file:
        assert file.document(kind) == (lost if kind is SALVAGE else before)
