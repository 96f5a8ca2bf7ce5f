"""Messages: a code and its blanks, in session files, too; the sentences of version 0.1.0 become codes when read."""

from __future__ import annotations

import json
import time

import pytest

from rehabcount.domain.calibration import Calibration
from rehabcount.domain.document import from_document, to_document
from rehabcount.domain.message import BLANKS, ENGLISH, Code, Message
from rehabcount.domain.sentences_before import SENTENCES, message_of
from rehabcount.domain.update import Discarded, Doubt

# As version 0.1.0 wrote them into session files.
OLD = [
    ("The right hand moved in the still pose; hold it still for 3 seconds and repeat.",
     Message.of(Code.MOVED_IN_POSE, place="right-hand")),
    ("The still pose was too short; hold it for 3 seconds.", Message.of(Code.POSE_TOO_SHORT)),
    ("Bend the elbow further (the left forearm sensor saw too little).",
     Message.of(Code.BEND_FURTHER, place="left-forearm")),
    ("Turn the forearm slowly and in one plane (right wrist sensor).",
     Message.of(Code.TURN_IN_ONE_PLANE, place="right-wrist")),
    ("The c7 sensor is not worn as pictured.", Message.of(Code.WORN_OTHERWISE, place="c7")),
    ("watch 3 sent nothing in the still pose; check that it is on, then repeat.",
     Message.of(Code.SENT_NOTHING, sensor="watch 3")),
    ("right-hand and right-forearm seem to be swapped (the former moved like a hand); exchange them, then repeat.",
     Message.of(Code.SWAPPED_SHAKEN, one="right-hand", other="right-forearm")),
    ("says that the trunk is tilted", Message.of(Code.TRUNK_TILTED)),
    ("date that does not exist", Message.of(Code.NO_SUCH_DATE)),
    ("The left knee moved in the still pose; hold it still for 3 seconds and repeat.", None),
    ("Something that no version ever said: {odd}", None),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "message"), OLD)
def test_a_sentence_of_an_old_file_becomes_its_code(sentence: str, message: Message | None) -> None:
    assert message_of(sentence) == (message or Message.free(sentence))


@pytest.mark.parametrize(("sentence", "code"), SENTENCES.items())
def test_every_old_sentence_is_what_its_code_says_today(sentence: str, code: Code) -> None:
    """Replays of old sessions show the same text as then; a reworded sentence must be removed from this test."""
    assert ENGLISH[code] == sentence
    filled = dict.fromkeys(BLANKS[code], "right-hand")
    message = Message.of(code, **filled)
    assert message_of(str(message)) == message


def test_old_documents_hold_sentences_and_new_ones_codes() -> None:
    old = {"mountings": [], "quality": 0.1, "verdict": "repeat", "advice": [OLD[0][0], "Sit upright."]}
    read = from_document(Calibration, old)
    assert read.advice == (Message.of(Code.MOVED_IN_POSE, place="right-hand"), Message.free("Sit upright."))
    new = json.loads(json.dumps(to_document(read)))
    assert new["advice"][0] == {"code": "calibration.moved-in-pose", "blanks": {"place": "right-hand"}}
    assert from_document(Calibration, new) == read


def test_old_doubts_and_discards() -> None:
    tilted = {"sensor": "c7", "reason": "says that the trunk is tilted", "at_s": 1.0}
    assert from_document(Doubt, tilted) == Doubt("c7", Message.of(Code.TRUNK_TILTED), 1.0)
    well = Doubt("c7", None, 2.0)
    assert from_document(Doubt, tilted | {"reason": "", "at_s": 2.0}) == well
    assert from_document(Doubt, json.loads(json.dumps(to_document(well)))) == well
    late = {"sensor": "c7", "reason": "late", "number": 3, "at_s": 1.0}
    assert from_document(Discarded, late).reason == Message.of(Code.LATE)


@pytest.mark.parametrize(
    "reason",
    [
        {"code": "doubt.unheard-of", "blanks": {}},
        {"code": "calibration.palm-down", "blanks": {}},
        {"code": "calibration.palm-down", "blanks": {"place": "c7", "more": "x"}},
        {"code": "calibration.palm-down", "blanks": {"place": ["c7"]}},
        {"code": "calibration.palm-down", "blanks": {"code": "x"}},
        {"code": "calibration.palm-down", "blanks": {"place": "c7", "cls": "x"}},
        {"code": "discard.late"},
        7,
    ],
)
def test_what_is_no_message_is_refused(reason: object) -> None:
    with pytest.raises(ValueError, match="reason"):
        from_document(Discarded, {"sensor": "a", "reason": reason, "number": 1, "at_s": 1.0})


def test_a_long_text_is_no_sentence_and_takes_no_time() -> None:
    begun = time.process_time()
    text = " and " * 20_000
    assert message_of(text) == Message.free(text)
    assert time.process_time() - begun < 1.0


def test_blanks_are_those_of_the_code() -> None:
    with pytest.raises(ValueError, match="place"):
        Message.of(Code.PALM_DOWN, sensor="right-hand")
    assert str(Message.of(Code.TEXT, text="{not} a blank")) == "{not} a blank"
