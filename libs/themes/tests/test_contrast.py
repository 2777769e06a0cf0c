"""Contrast is WCAG's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.themes import contrast, luminance

colours = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(colours, colours)
def test_the_order_does_not_matter_and_the_ratio_stays_in_its_bounds(one, other):
    assert contrast(one, other) == contrast(other, one)
    assert 1 <= contrast(one, other) <= 21.000001


@given(colours)
def test_a_colour_does_not_stand_out_from_itself(colour):
    assert contrast(colour, colour) == 1


@given(colours)
def test_black_and_white_are_the_ends_of_the_scale(colour):
    assert 0 <= luminance(colour) <= 1.000001
    # Whatever the colour, one of the two can be read on it.
    assert max(contrast(colour, "#000000"), contrast(colour, "#ffffff")) >= 4.5


@given(st.integers(0, 254), st.sampled_from([0, 8, 16]), colours)
def test_a_brighter_channel_is_a_brighter_colour(level, shift, colour):
    rest = int(colour[1:], 16) & ~(0xFF << shift)
    assert luminance(f"#{rest | level << shift:06x}") < luminance(f"#{rest | level + 1 << shift:06x}")


@given(colours)
def test_capital_digits_mean_the_same(colour):
    assert luminance(colour.upper()) == luminance(colour)


def test_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#767676", "#ffffff", 4.54),
        ("#777777", "#ffffff", 4.48),
        ("#949494", "#ffffff", 3.03),
        ("#959595", "#ffffff", 3.00),
        ("#ff0000", "#ffffff", 4.00),
        ("#00ff00", "#ffffff", 1.37),
        ("#0000ff", "#ffffff", 8.59),
        ("#ffff00", "#000000", 19.56),
        ("#808080", "#000000", 5.32),
        ("#0b57d0", "#ffffff", 6.39),
    ],
)
def test_known_values(one, other, ratio):
    assert contrast(one, other) == pytest.approx(ratio, abs=0.005)
