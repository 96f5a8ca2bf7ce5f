"""Experiments run one by one or all together, shown, kept and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from rich.markup import escape
from rich.table import Table

from rehabcount.bench.experiment import (
    EXPERIMENTS,
    Claim,
    Document,
    differences,
    execute,
    experiment,
    number,
    page_of,
    read_results,
    verdict,
    write_json,
)
from rehabcount.cli.console import errors, output, print_json, progress
from rehabcount.errors import ArtifactMissing, DatasetMissing, MissingExtra
from rehabcount.store.private import written_whole


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """Which experiment, on what, and where its results go."""

    name: str
    data: Path | None = None
    out: Path | None = None  # finished steps are kept here
    quick: bool = False
    changes: tuple[str, ...] = ()  # key=value of its settings
    json: Path | None = None
    page: Path | None = None  # as Markdown


def list_experiments(as_json: bool) -> None:
    found = [experiment(name) for name in EXPERIMENTS]
    if as_json:
        print_json([{"name": e.name, "question": e.question, "needs": e.needs, "takes": e.takes} for e in found])
        return
    table = Table("experiment", "question", "from", "needs", "takes")
    for e in found:
        table.add_row(e.name, e.question, e.citation, escape(e.needs), e.takes)
    output.print(table)


def run_experiment(request: BenchRequest) -> None:
    document = _execute(request)
    _print(document)
    if request.json is not None:
        write_json(request.json, document)
    if request.page is not None:
        text = page_of(experiment(request.name), cast(Document, document))
        drawn = request.out / f"{request.name}.png" if request.out is not None else None
        if drawn is not None and drawn.is_file():  # the experiment's picture goes with its page
            beside = request.page.with_suffix(".png")
            with written_whole(beside) as partial:
                partial.write_bytes(drawn.read_bytes())
            text += f"\n![{experiment(request.name).question}]({beside.name})\n"
        with written_whole(request.page) as partial:
            partial.write_text(text, encoding="utf-8")


def run_every_experiment(data: Path | None, out: Path | None, *, quick: bool, json: Path | None) -> None:
    """Those whose data and extras are there."""
    documents, left_out = [], []
    for name in EXPERIMENTS:
        folder = experiment(name).folder
        here = data / folder if data is not None and folder is not None else None
        try:
            if experiment(name).alone:
                left_out.append((name, f"run it by itself: rehabcount bench {name.replace('-', ' ')}"))
                continue
            if folder is not None and (here is None or not here.is_dir()):
                raise DatasetMissing(f"no folder {folder} in {data if data is not None else '--data'}")
            documents.append(_execute(BenchRequest(name, here, out / name if out is not None else None, quick)))
        except (ArtifactMissing, DatasetMissing, MissingExtra) as error:
            left_out.append((name, str(error)))
    for document in documents:
        _print(document)
    for name, reason in left_out:
        errors.print(f"{name}: left out, {reason}", highlight=False)
    if json is not None:
        write_json(json, {"experiments": documents, "left_out": [{"experiment": n, "reason": r} for n, r in left_out]})


def compare_results(first: Path, second: Path, as_json: bool) -> None:
    one, two = read_results(first), read_results(second)
    changed = differences(one, two)
    if as_json:
        print_json([{"name": name, "first": a, "second": b} for name, a, b in changed])
        return
    if not changed:
        output.print(f"No difference in {len(one['claims'])} claims and {len(one['figures'])} figures.")
        return
    table = Table("name", first.name, second.name)
    for name, a, b in changed:
        table.add_row(name, number(a), number(b))
    output.print(table)


def _execute(request: BenchRequest) -> Mapping[str, Any]:
    with progress() as bar:
        task = bar.add_task(request.name, total=None)

        def on_claim(claim: Claim) -> None:
            """As a line above the bar; the table comes at the end."""
            said = f"{claim.name}: {number(claim.ours)} (at most {number(claim.published)}), {claim.note}"
            bar.console.print(f"{verdict(claim.match):4}{said}", markup=False, highlight=False)

        return execute(
            experiment(request.name),
            data=request.data,
            out=request.out,
            quick=request.quick,
            changes=list(request.changes),
            on_progress=lambda what, done, total: bar.update(
                task, description=f"{request.name}: {what}", completed=done, total=total
            ),
            on_claim=on_claim,
        )


def _print(document: Mapping[str, Any]) -> None:
    """Every claim, then the figures, then how many claims were met and which were not."""
    claims = document["claims"]
    if claims:
        table = Table("where", "name", "published", "ours", "match", "note", title=document["experiment"])
        table.columns[0].no_wrap = True
        for claim in claims:
            table.add_row(
                claim["where"],
                claim["name"],
                number(claim["published"]),
                number(claim["ours"]),
                verdict(claim["match"]),
                claim["note"],
                style="bold red" if claim["match"] is False else None,
            )
        output.print(table)
    if document["figures"]:
        table = Table("figure", "value")
        for name, value in document["figures"].items():
            table.add_row(name, number(value))
        output.print(table)
    judged = [claim for claim in claims if claim["match"] is not None]
    output.print(f"{sum(claim['match'] for claim in judged)} of {len(judged)} claims match.")
    for claim in judged:
        if not claim["match"]:
            said = f"{claim['where']}, {claim['name']}: published {number(claim['published'])}, ours "
            output.print(f"  {said}{number(claim['ours'])} {claim['note']}".rstrip(), highlight=False)
