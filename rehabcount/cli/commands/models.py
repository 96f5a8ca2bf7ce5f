"""`rehabcount models`: which models there are, whether they are whole, what they say about themselves; and export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rehabcount.cli.options import AsJson

models_app = typer.Typer(
    name="models",
    help="List, choose, verify, explain and export models. Without a command: list.",
    invoke_without_command=True,
    rich_markup_mode="markdown",
)
Where = Annotated[Path | None, typer.Option("--folder", help="Look here instead of the shipped and your own models.")]
Also = Annotated[list[Path] | None, typer.Option(help="As in training.", metavar="DIR")]


@models_app.callback()
def models(context: typer.Context, folder: Where = None, as_json: AsJson = False) -> None:
    """List the models. Example: `rehabcount models`"""
    if context.invoked_subcommand is not None:
        return
    from rehabcount.cli.work.models import list_models

    list_models(folder, as_json)


@models_app.command()
def use(
    model: Annotated[str, typer.Argument(help="Name, name-version or hash; none: see --newest.", metavar="MODEL")] = "",
    newest: Annotated[bool, typer.Option("--newest", help="Count with the newest `stream` there is, again.")] = False,
) -> None:
    """Fix which model counts where no other is named, in commands and in the window. It stays when newer ones come.

    Example: `rehabcount models use stream-1.5`
    """
    if bool(model) == newest:
        raise typer.BadParameter("name one, or take --newest", param_hint="MODEL")
    from rehabcount.cli.work.models import fix_default

    fix_default(model)


@models_app.command()
def verify(
    model: Annotated[str, typer.Argument(help="Name, name-version, hash or folder.", metavar="MODEL")],
    folder: Where = None,
) -> None:
    """Check sums, card, network and golden window. Example: `rehabcount models verify stream`"""
    from rehabcount.cli.work.models import verify_model

    verify_model(model, folder)


@models_app.command()
def explain(
    model: Annotated[str, typer.Argument(help="Name, name-version, hash or folder.", metavar="MODEL")],
    folder: Where = None,
    as_json: AsJson = False,
) -> None:
    """Say what a model does, for whom, how well, and what that rests on. Example: `rehabcount models explain stream`"""
    from rehabcount.cli.work.models import explain_model

    explain_model(model, folder, as_json)


@models_app.command()
def export(
    checkpoint: Annotated[Path, typer.Argument(help="checkpoint.pt of a training.", metavar="CHECKPOINT")],
    data: Annotated[Path, typer.Option(help="The same folder as in training.", metavar="DIR")],
    name: Annotated[str, typer.Option(help="Name of the model.")],
    also: Also = None,
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
    from rehabcount.cli.work.checkpoints import PackRequest, pack_checkpoint

    pack_checkpoint(
        PackRequest(
            checkpoint,
            data,
            name,
            also=tuple(also or ()),
            version=version,
            out=out,
            limits=limits,
            made_by=made_by,
            required_parts=tuple(part or ()),
        )
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
    from rehabcount.cli.work.checkpoints import blend_checkpoint

    blend_checkpoint(checkpoint, other, share, out)


@models_app.command()
def settle(
    checkpoint: Annotated[Path, typer.Argument(help="checkpoint.pt of a stream's training.", metavar="CHECKPOINT")],
    data: Annotated[Path, typer.Option(help="The same folder as in training.", metavar="DIR")],
    also: Also = None,
    validate: Annotated[
        list[Path] | None, typer.Option(help="More data: all its people but test people validate.", metavar="DIR")
    ] = None,
) -> None:
    """Tune a trained stream's decoder anew, so that counts are right on average in more people than training had.

    Example: `rehabcount models settle runs/stream/checkpoint.pt --data cohort --validate more`
    """
    from rehabcount.models.torch_extra import require_torch

    require_torch()
    from rehabcount.cli.work.checkpoints import settle_checkpoint

    settle_checkpoint(checkpoint, data, also or (), validate or ())


@models_app.command()
def believe(
    model: Annotated[str, typer.Argument(help="checkpoint.pt of a stream's training, or a model.", metavar="MODEL")],
    seed: Annotated[int, typer.Option(help="Of the first cohort of simulated people; further ones follow.")] = 161,
    people: Annotated[int, typer.Option(help="How many, each with one session.", min=5)] = 44,
    minutes: Annotated[float, typer.Option(help="Length of a session.", min=1, max=120)] = 20.0,
    out: Annotated[
        Path | None, typer.Option(help="Write the belief to this file. Of a checkpoint: also belief.json beside it.")
    ] = None,
    folder: Where = None,
    as_json: AsJson = False,
) -> None:
    """Settle how a model's events make task repetitions, on simulated whole sessions of people that no test uses.

    Of a checkpoint the belief is kept beside it (belief.json), and `models export` puts it into the card. Settle the
    decoder first: another decoder makes other events. Takes about 10 s of one core for each person.

    Example: `rehabcount models believe runs/stream/checkpoint.pt`
    """
    from rehabcount.cli.work.scores import BelieveRequest, settle_belief

    settle_belief(BelieveRequest(model, seed, people, minutes, out, folder, as_json))


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
    as_json: AsJson = False,
) -> None:
    """Measure a model on the test people: by group, by rig, with a lost sensor, and false counts between exercises.

    Of a checkpoint the scores are kept beside it (scores.json), and `models export` puts them into the card.

    Example: `rehabcount models score runs/stream/checkpoint.pt --data cohort`
    """
    from rehabcount.cli.work.scores import ScoreRequest, score_model

    score_model(ScoreRequest(model, data, tuple(further or ()), every, page, folder, as_json))


@models_app.command()
def delay(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished trainings of `stream`.", metavar="RUN...")],
    out: Annotated[Path, typer.Option(help="Picture to write.", metavar="FILE.png")],
    title: Annotated[str, typer.Option(help="What stands above it.")] = "Validation subjects, simulated people",
) -> None:
    """Draw AER and count bias against delay, one curve a training.

    Example: `rehabcount models delay runs/stream --out delay.png`
    """
    from rehabcount.cli.work.scores import draw_delay

    draw_delay(runs, out, title)
