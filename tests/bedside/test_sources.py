"""Items of sensors that a set-up has connected reach the session: all, in order, with the names of its rig."""

from __future__ import annotations

from rehabcount.bedside.sources import PreparedSource
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Place, Rig, Sensor
from rehabcount.domain.update import LinkState, Mark, Phase, PhaseName, Recorded, Said, SensorHealth

RIG = Rig("three", (Sensor("right-hand", Place.RIGHT_HAND, "dot", 60.0, "A1"),))


def packet(address: str, received_ns: int) -> Packet:
    return Packet(address, b"", received_ns)


def test_what_the_set_up_heard_comes_first_and_nothing_is_lost_on_the_way() -> None:
    heard: list[Recorded] = []
    source = PreparedSource(None, RIG, [packet("B2", 1), packet("A1", 2)])
    source.hear(packet("A1", 3))  # the set-up is over, and the session has not begun
    source.report(SensorHealth("A1", LinkState.STREAMING, 0.0))  # not recorded before the session
    source.start(heard.append, lambda: None)
    source.hear(Silence("A1", 4, 5))
    source.hear(packet("B2", 6))  # no sensor of the rig
    assert heard == [
        Said(Phase(PhaseName.CALIBRATING, 0.0), 2),
        packet("right-hand", 2),
        packet("right-hand", 3),
        Silence("right-hand", 4, 5),
    ]


def test_links_and_clicks_are_recorded_by_the_names_of_the_rig() -> None:
    heard: list[Recorded] = []
    source = PreparedSource(None, RIG)
    source.start(heard.append, lambda: None)
    for update in (
        SensorHealth("A1", LinkState.STREAMING, 1.0),
        SensorHealth("B2", LinkState.LOST, 1.0),
        Mark(2.0, "click on A1"),
    ):
        source.report(update)
    said = [each.what for each in heard if isinstance(each, Said)]
    assert said == [SensorHealth("right-hand", LinkState.STREAMING, 1.0), Mark(2.0, "click on right-hand")]


def test_its_end_is_said_once() -> None:
    ends: list[bool] = []
    source = PreparedSource(None, RIG)
    source.start(lambda item: None, lambda: ends.append(True))
    source.close()
    source.close()
    assert ends == [True]
