from __future__ import annotations

import pytest

from rehabcount.errors import ConfigError
from rehabcount.sensors.layouts import LAYOUTS, layout_of

# Payload sizes as the vendor's specification prints them, mode by mode.
SPECIFIED_BYTES = {
    2: 36, 3: 32, 4: 16, 5: 20, 6: 16, 7: 32, 16: 28, 18: 38, 19: 32, 20: 34, 21: 28, 22: 40, 23: 34, 24: 32, 26: 44,
}  # fmt: skip


def test_dot_layouts_have_the_specified_sizes() -> None:
    assert {
        int(name[4:]): layout.size for name, layout in LAYOUTS.items() if name.startswith("dot-")
    } == SPECIFIED_BYTES


@pytest.mark.parametrize(
    ("name", "measures"),
    [
        ("dot-2", ("acc", "quat")),
        ("dot-4", ("quat",)),
        ("dot-6", ()),
        ("dot-19", ("acc", "gyr")),
        ("dot-23", ("acc", "quat")),
        ("dot-24", ("gyr", "quat")),
        ("dot-26", ("acc", "gyr", "quat")),
        ("generic", ("acc", "gyr")),
        ("wit-20", ("acc", "gyr", "quat")),
    ],
)
def test_a_layout_says_what_it_measures(name: str, measures: tuple[str, ...]) -> None:
    assert layout_of(name).measures == measures


def test_only_the_undated_witmotion_frame_has_no_clock() -> None:
    assert [name for name, layout in LAYOUTS.items() if layout.tick_hz is None] == ["wit-20"]
    assert (layout_of("dot-26").tick_bits, layout_of("dot-26").tick_hz) == (32, 1e6)
    assert layout_of("wit-28").tick_hz == 1000


@pytest.mark.parametrize("mode", [1, 17, 25])
def test_compressed_dot_modes_are_refused_with_the_way_out(mode: int) -> None:
    with pytest.raises(ConfigError, match=f"mode {mode} ") as refusal:
        layout_of(f"dot-{mode}")
    assert "dot-26" in refusal.value.advice


def test_hexadecimal_26_is_not_mode_26() -> None:
    # The specification counts modes in decimal; 0x26 = 38 is a mistake seen in public code.
    with pytest.raises(ConfigError, match="no sensor layout"):
        layout_of("dot-38")
