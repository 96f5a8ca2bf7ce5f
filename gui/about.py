"""About: what this is and is not, and the card of the model that counts, in words that can be read."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFormLayout, QLabel, QVBoxLayout, QWidget

from rehabcount import __version__
from rehabcount.domain.labels import PRODUCT
from rehabcount.gui.controls import Banner, Card, Heading, rule, scrolling, text_label
from rehabcount.gui.desk import Desk
from rehabcount.gui.flow import Columns
from rehabcount.gui.language import definition_words, primitive_name, tr
from rehabcount.gui.moments import decimal
from rehabcount.gui.place_state import part_name
from rehabcount.gui.screen import Screen
from rehabcount.gui.settings_screen import evidence_words
from rehabcount.gui.theme import space
from rehabcount.inference.artifact import Artifact
from rehabcount.inference.card import Evidence


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
            (tr("Evidence"), evidence_words(artifact)),
            (tr("Made for"), model.intended_use),
            (tr("Limits"), model.limits),
            (tr("Says"), ", ".join(primitive_name(label) for label in model.labels)),
            (tr("Does not count"), ", ".join(primitive_name(label) for label in model.uncounted) or "–"),
            (tr("Needs a sensor on"), ", ".join(map(part_name, model.required_parts)) or "–"),
            (tr("Delay"), tr("at most {s} s from a movement to its count").format(s=decimal(model.delay_bound_s))),
            (
                tr("Learned from"),
                tr("{name}: {people} people, {hours} hours").format(
                    name=model.training.name, people=model.training.people, hours=decimal(model.training.hours)
                ),
            ),
            (tr("Made by"), model.made_by),
            (tr("Licence"), model.licence),
            (tr("Fingerprint"), f"{artifact.sha256[:16]} … ({tr('verified')})"),
        ]
        for name, words in rows:
            form.addRow(_at_top(text_label(name, "muted")), text_label(words, wrap=True))
        card.body.addLayout(form)
        if model.scores:
            card.body.addWidget(rule())
            card.body.addWidget(Heading(tr("How well it did"), "heading"))
            for score in model.scores:
                interval = (
                    f" ({score.low:.2f} – {score.high:.2f})" if score.low is not None and score.high is not None else ""
                )
                card.body.addWidget(text_label(f"{score.metric}: {score.value:.2f}{interval}", "strong"))
                card.body.addWidget(text_label(score.on, "caption", wrap=True))
        return card


def _at_top(label: QLabel) -> QLabel:
    """In line with the first of several lines beside it."""
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    return label
