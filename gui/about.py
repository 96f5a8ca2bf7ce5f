"""About: what this is and is not, and the card of the model that counts, in words that can be read."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFormLayout, QGridLayout, QLabel, QVBoxLayout, QWidget

from rehabcount import __version__
from rehabcount.domain.labels import PRODUCT
from rehabcount.gui.card_words import free_words, measured_rows, training_words
from rehabcount.gui.controls import Banner, Card, Heading, rule, scrolling, text_label
from rehabcount.gui.desk import Desk
from rehabcount.gui.flow import Columns
from rehabcount.gui.language import decimal, definition_words, primitive_name, tr
from rehabcount.gui.place_state import part_name
from rehabcount.gui.screen import Screen
from rehabcount.gui.settings_screen import evidence_words
from rehabcount.gui.theme import space
from rehabcount.inference.artifact import Artifact
from rehabcount.inference.card import Evidence, MeasuredScore


class AboutScreen(Screen):
    name = "about"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        column = QVBoxLayout(self)
        column.setContentsMargins(space(3), space(2.5), space(3), space(2))
        column.setSpacing(space(1.5))
        column.addWidget(Heading(tr("About rehabcount {version}").format(version=__version__)))
        left = QWidget()
        inner = QVBoxLayout(left)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(space(2))
        inner.addWidget(self._make_purpose())
        inner.addWidget(self._make_words())
        inner.addStretch()
        self._holder = QVBoxLayout()
        right = QWidget()
        right.setLayout(self._holder)
        self._holder.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scrolling(Columns(left, right, (5, 6), narrow=760)), 1)

    def title(self) -> str:
        return tr("About")

    def entered(self, argument: object) -> None:
        while (item := self._holder.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        artifact = self.desk.artifact()
        self._holder.addWidget(self._make_card(artifact) if artifact else self._make_none())
        self._holder.addStretch()

    def _make_purpose(self) -> Card:
        card = Card(tr("What it is for"))
        for words in (
            tr(
                "rehabcount counts functional arm movements of people after stroke, live, from sensors that they wear, "
                "and shows how much was practised."
            ),
            tr(
                "Research use only. It is not a medical device, neither CE-marked nor cleared by the FDA. Counts are "
                "estimates and must not alone decide on diagnosis or treatment."
            ),
            tr("Use it with patients only under ethics approval or the governance of your clinic."),
            tr("All data stays on this computer. Nothing is sent anywhere."),
            tr("Free software under the GNU General Public License, version 3 or later."),
        ):
            card.body.addWidget(text_label(words, wrap=True))
        return card

    def _make_words(self) -> Card:
        card = Card(tr("What is counted"))
        card.body.addWidget(
            text_label(
                tr("A task repetition is one cycle of handling an object, from contact to release. It is made of:"),
                wrap=True,
            )
        )
        form = QFormLayout()
        form.setHorizontalSpacing(space(2))
        form.setVerticalSpacing(space(0.75))
        for label in PRODUCT.labels:
            name = _at_top(text_label(f"{label.letter}  {primitive_name(label.name)}", "strong"))
            form.addRow(name, text_label(definition_words(label.name), "muted", wrap=True))
        card.body.addLayout(form)
        return card

    def _make_none(self) -> Card:
        card = Card(tr("The model"))
        card.body.addWidget(
            text_label(
                tr("No model is there that could count. Put one into the folder of models; see Settings."),
                wrap=True,
            )
        )
        return card

    def _make_card(self, artifact: Artifact) -> Card:
        model = artifact.card
        card = Card(tr("The model: {name} {version}").format(name=model.name, version=model.version))
        if model.evidence is not Evidence.PATIENTS:
            unknown = Banner()
            unknown.say(tr("Accuracy on patients is unknown: it was not measured on patients."), "warn")
            card.body.addWidget(unknown)
        form = QFormLayout()
        form.setHorizontalSpacing(space(2))
        form.setVerticalSpacing(space(1))
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        rows = [
            (tr("Comes from"), tr("this rehabcount") if artifact.is_shipped else tr("elsewhere: it was not shipped")),
            (tr("Evidence"), evidence_words(artifact)),
            (tr("Made for"), free_words(model.intended_use)),
            (tr("Limits"), free_words(model.limits)),
            (tr("Says"), ", ".join(primitive_name(label) for label in model.labels)),
            (tr("Does not count"), ", ".join(primitive_name(label) for label in model.uncounted) or "–"),
            (tr("Needs a sensor on"), ", ".join(map(part_name, model.required_parts)) or tr("any place")),
            (tr("Delay"), tr("at most {s} s from a movement to its count").format(s=decimal(model.delay_bound_s, 2))),
            (
                tr("Learned from"),
                tr("{name}: {people} people, {hours} hours").format(
                    name=training_words(model.training.name),
                    people=model.training.people,
                    hours=decimal(model.training.hours),
                ),
            ),
            (tr("Licence"), model.licence),
            (tr("Fingerprint"), f"{artifact.sha256[:16]} … ({tr('verified')})"),
        ]
        for name, words in rows:
            form.addRow(_at_top(text_label(name, "muted")), text_label(words, wrap=True))
        card.body.addLayout(form)
        if model.scores:
            card.body.addWidget(rule())
            card.body.addWidget(Heading(tr("How well it did"), "heading"))
            for group in _make_scores(model.scores):
                card.body.addWidget(group)
            brackets = tr("In brackets: where the true value lies with 95 % confidence.")
            card.body.addWidget(text_label(brackets, "caption", wrap=True))
        return card


def _make_scores(scores: tuple[MeasuredScore, ...]) -> list[QWidget]:
    """A table for each group of people; a card without the usual scores is shown line by line."""
    rows = measured_rows(scores)
    if not rows:
        return [text_label(f"{score.metric}: {_figure(score, digits=2)}  ·  {score.on}", wrap=True) for score in scores]
    tables: dict[str, QGridLayout] = {}
    made: list[QWidget] = []
    for row in rows:
        if row.people not in tables:
            holder = QWidget()
            tables[row.people] = grid = QGridLayout(holder)
            grid.setContentsMargins(0, 0, 0, space(1))
            grid.setHorizontalSpacing(space(2))
            grid.setVerticalSpacing(space(0.5))
            for column, stretch in enumerate((6, 3, 3)):
                grid.setColumnStretch(column, stretch)
            heads = (tr("errors in 100 movements"), tr("counted for 100 made"))
            grid.addWidget(text_label(row.people, "strong", wrap=True), 0, 0)
            for column, words in enumerate(heads, start=1):
                grid.addWidget(_at_right(text_label(words, "caption", wrap=True)), 0, column)
            if row.stands_for:
                grid.addWidget(text_label(row.stands_for, "caption", wrap=True), 1, 0, 1, 3)
            made.append(holder)
        grid = tables[row.people]
        line = grid.rowCount()
        grid.addWidget(text_label(row.worn, wrap=True), line, 0)
        for column, score in enumerate((row.errors, row.counted), start=1):
            grid.addWidget(_at_right(text_label(_figure(score, times=100.0), "strong")), line, column)
        if row.false_per_hour is not None:
            words = tr("false counts an hour in the pauses: {n}").format(n=_figure(row.false_per_hour))
            grid.addWidget(text_label(words, "muted", wrap=True), line + 1, 0, 1, 3)
    return made


def _figure(score: MeasuredScore | None, *, times: float = 1.0, digits: int = 0) -> str:
    """The value with its interval."""
    if score is None:
        return "–"
    value = decimal(times * score.value, digits)
    if score.low is None or score.high is None:
        return value
    return f"{value} ({decimal(times * score.low, digits)} – {decimal(times * score.high, digits)})"


def _at_right(label: QLabel) -> QLabel:
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
    return label


def _at_top(label: QLabel) -> QLabel:
    """In line with the first of several lines beside it."""
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    return label
