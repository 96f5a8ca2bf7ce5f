"""Models: listed, chosen, verified, explained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from rehabcount.bedside.chosen_model import find_model, name_of, open_chosen
from rehabcount.bedside.config import load_settings, save_settings
from rehabcount.cli.console import output, print_json, say
from rehabcount.domain.document import to_document
from rehabcount.domain.session_agreement import in_english
from rehabcount.domain.session_summary import described
from rehabcount.errors import ArtifactError
from rehabcount.inference.addendum import belief_of, sessions_of
from rehabcount.inference.artifact import SHIPPED, Artifact, find, list_artifacts, open_model
from rehabcount.inference.card import ModelCard, called
from rehabcount.models import card_scores


def model_folders(only: Path | None = None) -> list[Path]:
    """Where models are looked for: those that came with the program, then the user's own."""
    return [only] if only is not None else [SHIPPED, load_settings().models]


def list_models(folder: Path | None, as_json: bool) -> None:
    found, default = list_artifacts(model_folders(folder)), "" if folder is not None else _default()
    if as_json:
        print_json(
            [
                {"folder": each.folder.name, **_brief(each), "default": each.sha256 == default}
                if isinstance(each, Artifact)
                else {"folder": where.name, "error": str(each)}
                for where, each in found
            ]
        )
        return
    table = Table("model", "kind", "labels", "delay s", "evidence", "hash")
    for where, each in found:
        if isinstance(each, Artifact):
            brief = _brief(each)
            table.add_row(
                escape(described(f"{brief['name']} {brief['version']}", brief["shipped"]))
                + (" [bold]counts by default[/]" if brief["sha256"] == default else ""),
                brief["kind"],
                escape(", ".join(brief["labels"])),
                f"{brief['delay_bound_s']:.2f}",
                f"{brief['evidence']} ({brief['evidence_people']})",
                brief["sha256"][:12],
            )
        else:
            table.add_row(escape(called(where)), "[red]refused[/]", escape(str(each)), "", "", "")
    output.print(table if found else "No model is installed.")


def _default() -> str:
    """The hash of the default model; empty if there is none."""
    try:
        return find_model(load_settings()).sha256
    except ArtifactError as problem:
        say(problem)
        return ""


def _brief(artifact: Artifact) -> dict[str, Any]:
    card = artifact.card
    return {
        "name": card.name,
        "version": card.version,
        "kind": card.kind.value,
        "labels": list(card.labels),
        "recipe": card.recipe,
        "delay_bound_s": card.delay_bound_s,
        "evidence": card.evidence.value,
        "evidence_people": card.evidence_people,
        "sha256": artifact.sha256,
        "shipped": artifact.is_shipped,
    }


def fix_default(model: str) -> None:
    """Make `model` the default; empty: the newest version of the default model."""
    settings = replace(load_settings(), model="")
    opened = open_chosen(settings, model)  # a model that cannot be opened cannot count
    save_settings(replace(settings, model=name_of(opened, settings) if model else ""))
    how = "it stays so when newer ones come" if model else "the newest of its name"
    output.print(f"{opened.described} counts from now on; {how}.", markup=False, highlight=False, soft_wrap=True)


def verify_model(model: str, folder: Path | None) -> None:
    found = find(model, model_folders(folder))
    open_model(found.folder)
    output.print(f"{found.card.name} {found.card.version} is whole: {found.sha256}", markup=False, soft_wrap=True)


def explain_model(model: str, folder: Path | None, as_json: bool) -> None:
    found = find(model, model_folders(folder))
    if as_json:
        print_json({"sha256": found.sha256, **to_document(found.card)})
        return
    for line in (*_card_lines(found.card), f"hash: {found.sha256}"):
        output.print(line, markup=False, highlight=False, soft_wrap=True)


def _card_lines(card: ModelCard) -> list[str]:
    training = card.training
    return [
        f"{card.name} {card.version}: {card.network}, {card.kind}",
        f"counts {', '.join(card.counted)}"
        + (f"; recognises but never counts {', '.join(card.uncounted)}" if card.uncounted else ""),
        f"reads {len(card.inputs.columns)} columns of recipe {card.recipe or '(of its corpus)'} at {card.rate_hz:g} Hz",
        (
            f"needs a sensor on: {', '.join(card.required_parts) or 'any place'}; "
            f"trained for rigs: {', '.join(card.trained_rigs) or 'one'}"
        ),
        f"says what it counted within {card.delay_bound_s:g} s",
        f"trained on {training.name}: {training.people} people, {training.trials} trials, {training.hours:g} h",
        f"evidence: {card.evidence}, {card.evidence_people} people",
        *(f"  {line}" for line in _score_lines(card)),
        f"a single session: {in_english(sessions_of(card))}",
        _belief_line(card),
        f"torch and onnxruntime agree within {card.parity.largest_difference:.1g} on {card.parity.windows} windows",
        f"made by: {card.made_by}",
        f"intended use: {card.intended_use}",
        f"limits: {card.limits}",
        f"licence: {card.licence}",
    ]


def _belief_line(card: ModelCard) -> str:
    belief = belief_of(card)
    if belief is None:
        return "counts every run of handling with a transport as a task repetition"
    return f"task repetitions are believed (readiness {belief.readiness:g}); see docs/counting.md"


def _score_lines(card: ModelCard) -> list[str]:
    """One line for each group and rig."""
    header, *rows = card_scores.table(card.scores)
    return [
        f"{on}: " + ", ".join(f"{name} {cell}" for name, cell in zip(header[1:], cells, strict=True) if cell)
        for on, *cells in rows
    ]
