"""`rehabcount models`: which models there are, whether they are whole, what they say about themselves; and export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from rehabcount.cli.console import errors, new_table, output, print_json, progress, say

models_app = typer.Typer(
    name="models",
    help="List, choose, verify, explain and export models. Without a command: list.",
    invoke_without_command=True,
    rich_markup_mode="markdown",
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Where = Annotated[Path | None, typer.Option("--folder", help="Look here instead of the shipped and your own models.")]


def folders(only: Path | None) -> list[Path]:
    """Where models are looked for: those that came with the program, then the user's own."""
    from rehabcount.bedside.config import load_settings
    from rehabcount.inference.artifact import SHIPPED

    return [only] if only is not None else [SHIPPED, load_settings().models]


@models_app.callback()
def models(context: typer.Context, folder: Where = None, as_json: Json = False) -> None:
    """List the models. Example: `rehabcount models`"""
    if context.invoked_subcommand is not None:
        return
    from rehabcount.domain.session_summary import described
    from rehabcount.inference.artifact import Artifact, list_artifacts
    from rehabcount.inference.card import called

    found, default = list_artifacts(folders(folder)), "" if folder is not None else _default()
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
    """The hash of what counts where nothing else is named; empty where there is nothing."""
    from rehabcount.bedside.chosen_model import find_model
    from rehabcount.bedside.config import load_settings
    from rehabcount.errors import ArtifactError

    try:
        return find_model(load_settings()).sha256
    except ArtifactError as problem:
        say(problem)
        return ""


def _brief(artifact: Any) -> dict[str, Any]:
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


@models_app.command()
def use(
    model: Annotated[str, typer.Argument(help="Name, name-version or hash; none: see --newest.", metavar="MODEL")] = "",
    newest: Annotated[bool, typer.Option("--newest", help="Count with the newest `stream` there is, again.")] = False,
) -> None:
    """Fix which model counts where no other is named, in commands and in the window. It stays when newer ones come.

    Example: `rehabcount models use stream-1.5`
    """
    from dataclasses import replace

    from rehabcount.bedside.chosen_model import name_of, open_chosen
    from rehabcount.bedside.config import load_settings, save_settings

    if bool(model) == newest:
        raise typer.BadParameter("name one, or take --newest", param_hint="MODEL")
    settings = replace(load_settings(), model="")
    opened = open_chosen(settings, model)  # what does not open cannot count
    save_settings(replace(settings, model="" if newest else name_of(opened, settings)))
    how = "the newest of its name" if newest else "it stays so when newer ones come"
    output.print(f"{opened.described} counts from now on; {how}.", markup=False, highlight=False, soft_wrap=True)


@models_app.command()
def verify(
    model: Annotated[str, typer.Argument(help="Name, name-version, hash or folder.", metavar="MODEL")],
    folder: Where = None,
) -> None:
    """Check sums, card, network and golden window. Example: `rehabcount models verify stream`"""
    from rehabcount.inference.artifact import find, open_model

    found = find(model, folders(folder))
    open_model(found.folder)
    output.print(f"{found.card.name} {found.card.version} is whole: {found.sha256}", markup=False, soft_wrap=True)


@models_app.command()
def explain(
    model: Annotated[str, typer.Argument(help="Name, name-version, hash or folder.", metavar="MODEL")],
    folder: Where = None,
    as_json: Json = False,
) -> None:
    """Say what a model does, for whom, how well, and what that rests on. Example: `rehabcount models explain stream`"""
    from rehabcount.domain.document import to_document
    from rehabcount.inference.artifact import find

    found = find(model, folders(folder))
    card = found.card
    if as_json:
        print_json({"sha256": found.sha256, **to_document(card)})
        return
    training = card.training
    lines = [
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
        *(f"  {line}" for line in _score_lines(card.scores)),
        f"torch and onnxruntime agree within {card.parity.largest_difference:.1g} on {card.parity.windows} windows",
        f"made by: {card.made_by}",
        f"intended use: {card.intended_use}",
        f"limits: {card.limits}",
        f"licence: {card.licence}",
        f"hash: {found.sha256}",
    ]
    for line in lines:
        output.print(line, markup=False, highlight=False, soft_wrap=True)


def _score_lines(scores: Any) -> list[str]:
    """One line for each group and rig."""
    from rehabcount.models.card_scores import table

    header, *rows = table(scores)
    return [
        f"{on}: " + ", ".join(f"{name} {cell}" for name, cell in zip(header[1:], cells, strict=True) if cell)
        for on, *cells in rows
    ]


@models_app.command()
def export(
    checkpoint: Annotated[Path, typer.Argument(help="checkpoint.pt of a training.", metavar="CHECKPOINT")],
    data: Annotated[Path, typer.Option(help="The same folder as in training.", metavar="DIR")],
    name: Annotated[str, typer.Option(help="Name of the model.")],
    also: Annotated[list[Path] | None, typer.Option(help="As in training.", metavar="DIR")] = None,
    version: Annotated[str, typer.Option(help="Version, such as 1.0.")] = "1.0",
    out: Annotated[Path | None, typer.Option(help="Folder to put it into; default: your models.")] = None,
    limits: Annotated[str, typer.Option(help="What it must not be trusted with.")] = "Not tried on anyone else.",
    made_by: Annotated[str, typer.Option(help="The command and commit that trained it.")] = "",
    part: Annotated[list[str] | None, typer.Option(help="A body part that must carry a sensor.")] = None,
) -> None:
    """Turn a checkpoint into a verified model. Fails unless torch and onnxruntime agree on 1,000 windows.

    What `models score` measured of the checkpoint goes into the card.

    Example: `rehabcount models export runs/stream/checkpoint.pt --data cohort --name stream --version 1.0`
    """
    from rehabcount.models.torch_extra import require_torch

    require_torch()
    from rehabcount.bedside.config import load_settings
    from rehabcount.export.pack import Description, pack
    from rehabcount.models.card_scores import LOST, read_scores, rigs_of
    from rehabcount.models.data import joined
    from rehabcount.models.sources import open_data
    from rehabcount.models.trained import load_trained, read_decoder
    from rehabcount.models.tuning import measured

    trained, training_set = load_trained(checkpoint), joined(open_data(data), [open_data(each) for each in also or []])
    report, rule = read_scores(checkpoint.parent), read_decoder(checkpoint.parent)
    if report is not None:
        scores, people = report.scores, report.people
    else:
        scores = measured(checkpoint.parent, f"test split of {training_set.name}")
        people = len({trial.subject for trial in training_set.of("test")})
    rigs = [rig for rig in rigs_of(training_set) if rig != LOST] if trained.settings.augment == "bedside" else []
    description = Description(
        name,
        version,
        made_by or f"rehabcount train {trained.settings.network}",
        limits,
        required_parts=tuple(part or ()),
        trained_rigs=tuple(rigs),
        scores=scores,
        evidence_people=people,
    )
    target = (out if out is not None else load_settings().models) / f"{name}-{version}"
    with errors.status("Exporting and comparing 1,000 windows"):
        made = pack(
            target,
            trained,
            training_set,
            description,
            decoder=rule.model() if rule is not None else None,
            lag=rule.lag_frames if rule is not None else 1,
        )
    parity = made.card.parity
    output.print(
        f"{target}: {sum(file.stat().st_size for file in target.iterdir()) / 1e6:.2f} MB, largest difference "
        f"{parity.largest_difference:.1g} over {parity.windows} windows, same sequences; hash {made.sha256[:12]}",
        markup=False,
        soft_wrap=True,
    )


@models_app.command()
def blend(
    checkpoint: Annotated[Path, typer.Argument(help="checkpoint.pt of a training.", metavar="CHECKPOINT")],
    other: Annotated[
        str, typer.Option("--with", help="What it was trained on from.", metavar="CHECKPOINT|MODEL", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="Folder for the blended checkpoint.", show_default=False)],
    share: Annotated[float, typer.Option(help="How much of CHECKPOINT is in it.", min=0, max=1)] = 0.5,
) -> None:
    """Average the weights of a training and of the model that it went on from; settle the result before use.

    Example: `rehabcount models blend runs/ours/checkpoint.pt --with stream --out runs/blend`
    """
    from rehabcount.models.torch_extra import require_torch

    require_torch()
    from rehabcount.cli.commands.train import weights_named
    from rehabcount.models.blend import blend as blended

    made = blended(checkpoint, weights_named(other), share, out)
    output.print(f"{made} is blended; next: rehabcount models settle {made}", markup=False, soft_wrap=True)


@models_app.command()
def settle(
    checkpoint: Annotated[Path, typer.Argument(help="checkpoint.pt of a stream's training.", metavar="CHECKPOINT")],
    data: Annotated[Path, typer.Option(help="The same folder as in training.", metavar="DIR")],
    also: Annotated[list[Path] | None, typer.Option(help="As in training.", metavar="DIR")] = None,
    validate: Annotated[
        list[Path] | None, typer.Option(help="More data: all its people but test people validate.", metavar="DIR")
    ] = None,
) -> None:
    """Tune a trained stream's decoder anew, so that counts are right on average in more people than training had.

    Example: `rehabcount models settle runs/stream/checkpoint.pt --data cohort --validate more`
    """
    from rehabcount.models.torch_extra import require_torch

    require_torch()
    from rehabcount.cli.commands.train import print_results
    from rehabcount.models import card_scores, tuning
    from rehabcount.models.data import joined
    from rehabcount.models.sources import open_data

    sets = joined(
        open_data(data), [open_data(each) for each in also or []], [open_data(each) for each in validate or []]
    )
    with errors.status("Tuning the decoder"):
        settings, outcome = tuning.again(checkpoint, sets)
        document = tuning.keep(checkpoint.parent, settings, outcome, tuning.finish(sets, outcome, settings))
    card_scores.forget(checkpoint.parent)  # they were the other decoder's
    print_results(document, sets.labels, checkpoint.parent)


@models_app.command()
def score(
    model: Annotated[str, typer.Argument(help="checkpoint.pt of a training, or a stream model.", metavar="MODEL")],
    data: Annotated[Path, typer.Option(help="Folder of data with test people.", metavar="DIR")],
    further: Annotated[
        list[Path] | None,
        typer.Option(help="More data: its stroke patients among the test people, with all sensors.", metavar="DIR"),
    ] = None,
    every: Annotated[int, typer.Option(help="Look at one in so many single activities, drawn by lot.", min=1)] = 1,
    page: Annotated[Path | None, typer.Option(help="Write the table as a Markdown page to this file.")] = None,
    folder: Where = None,
    as_json: Json = False,
) -> None:
    """Measure a model on the test people: by group, by rig, with a lost sensor, and false counts between exercises.

    Of a checkpoint the scores are kept beside it (scores.json), and `models export` puts them into the card.

    Example: `rehabcount models score runs/stream/checkpoint.pt --data cohort`
    """
    from rehabcount.domain.document import to_document
    from rehabcount.models import card_scores
    from rehabcount.models.sources import open_data

    path = Path(model)
    if path.suffix == ".pt":
        from rehabcount.models.torch_extra import require_torch

        require_torch()
        recognise = card_scores.checkpoint_recogniser(path)
    else:
        from rehabcount.inference.artifact import find, open_model

        recognise = card_scores.artifact_recogniser(open_model(find(model, folders(folder)).folder))
    with progress() as bar:
        task = bar.add_task("Scoring", total=None)
        report = card_scores.measure(
            open_data(data),
            recognise,
            every=every,
            further=[open_data(each) for each in further or []],
            progress=lambda what, done, total: bar.update(task, description=what, completed=done, total=total),
        )
    if path.suffix == ".pt":
        card_scores.keep(path.parent, report)
    if as_json:
        print_json(to_document(report))
        return
    header, *rows = card_scores.table(report.scores)
    if page is not None:
        lines = [f"# {model} on {report.name}", "", f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
        page.write_text("\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n", encoding="utf-8")
    shown = new_table(f"{model} on {report.name}", *header)
    for row in rows:
        shown.add_row(*row)
    output.print(shown)


@models_app.command()
def delay(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished trainings of `stream`.", metavar="RUN...")],
    out: Annotated[Path, typer.Option(help="Picture to write.", metavar="FILE.png")],
    title: Annotated[str, typer.Option(help="What stands above it.")] = "Validation subjects, simulated people",
) -> None:
    """Draw AER and count bias against delay, one curve a training.

    Example: `rehabcount models delay runs/stream --out delay.png`
    """
    from rehabcount.bench.delay_picture import draw_curves, read_curve

    draw_curves({run.name: read_curve(run) for run in runs}, out, title)
    output.print(f"{out} is drawn.", markup=False, soft_wrap=True)
