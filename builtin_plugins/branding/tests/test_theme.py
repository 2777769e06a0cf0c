"""Which themes are taken, and what is said of the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.branding.branding import check_theme
from guildhall_sdk.services.pages import ThemeInvalid
from libs.themes import DEFAULT, FLOORS, contrast, palette

COLOURS = [
    *("bg", "surface", "text", "muted", "border", "accent", "on-accent", "danger", "on-danger", "focus"),
]
MODES = ("", "dark-")


def refusal_of(theme):
    with pytest.raises(ThemeInvalid) as refused:
        check_theme(theme)
    return refused.value


def test_the_tokens_are_the_decided_ones():
    wanted = {mode + colour for mode in MODES for colour in COLOURS} | {"radius"}
    assert set(DEFAULT) == wanted


def test_the_floors_are_the_decided_ones():
    assert set(FLOORS) == {
        ("text", "bg", 4.5),
        ("text", "surface", 4.5),
        ("muted", "bg", 4.5),
        ("muted", "surface", 4.5),
        ("on-accent", "accent", 4.5),
        ("on-danger", "danger", 4.5),
        ("accent", "bg", 3.0),
        ("focus", "bg", 3.0),
        ("danger", "bg", 3.0),
    }


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("foreground", "background", "floor"), FLOORS)
def test_the_default_theme_passes_its_own_floors(mode, foreground, background, floor):
    assert contrast(DEFAULT[mode + foreground], DEFAULT[mode + background]) >= floor


def test_the_default_theme_itself_is_taken():
    check_theme(DEFAULT)
    check_theme({})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("foreground", "background", "floor"), FLOORS)
def test_every_pair_is_judged_in_every_mode(mode, foreground, background, floor):
    """The foreground in the background's own colour: 1:1, and the foreground is named."""
    theme = {mode + foreground: DEFAULT[mode + background]}
    refusal = refusal_of(theme)
    assert refusal.code == "theme_invalid"
    assert refusal.extras["token"] == mode + foreground
    assert refusal.extras["floor"] in (3.0, 4.5)
    pairs = {(error["pointer"], mode + background in error["message"]) for error in refusal.errors}
    assert (f"/theme/{mode}{foreground}", True) in pairs


@pytest.mark.parametrize("mode", MODES)
def test_where_only_the_background_was_set_the_background_is_named(mode):
    refusal = refusal_of({mode + "bg": DEFAULT[mode + "text"]})
    assert refusal.extras["token"] == mode + "bg"
    assert refusal.extras["against"] == mode + "text"
    assert refusal.extras["ratio"] == 1.0


def test_where_both_were_set_the_foreground_is_named():
    refusal = refusal_of({"bg": "#777777", "text": "#888888"})
    assert (refusal.extras["token"], refusal.extras["against"]) == ("text", "bg")


def test_a_theme_is_judged_over_the_default():
    """White text needs a dark page: alone it fails against the default's, with one it passes."""
    assert refusal_of({"text": "#ffffff"}).extras["against"] == "bg"
    dark = {name.removeprefix("dark-"): value for name, value in DEFAULT.items() if name.startswith("dark-")}
    check_theme(dark)


def test_the_ratio_is_never_shown_as_the_floor_that_it_misses():
    theme = {"bg": "#ffffff", "surface": "#ffffff", "muted": "#777777"}
    assert refusal_of(theme).extras == {"token": "muted", "ratio": 4.47, "floor": 4.5, "against": "bg"}


def test_just_at_the_floor_is_taken():
    check_theme({"bg": "#ffffff", "surface": "#ffffff", "muted": "#767676"})


@pytest.mark.parametrize("token", ["", "Bg", "colour", "dark-radius", "dark-", "bg ", "--bg", "dark-dark-bg"])
def test_an_unknown_token_is_named(token):
    assert refusal_of({"accent": DEFAULT["accent"], token: "#000000"}).extras == {"token": token}


def test_a_long_or_odd_name_is_cut_and_escaped():
    refusal = refusal_of({"a/b~c" + "x" * 1000: "#000000"})
    assert len(refusal.extras["token"]) == 80
    assert refusal.errors[0]["pointer"].startswith("/theme/a~1b~0cx")


@pytest.mark.parametrize(
    "value",
    [
        *("", "#fff", "#12345", "#1234567", "#12345g", "123456", "#12345６", "#123456\n", " #123456"),
        *("red", "rgb(0,0,0)", "#12345678", "url(#a)", None, 0, 1.5, True, [], {}, ["#123456"]),
    ],
)
def test_a_malformed_colour_is_named(value):
    assert refusal_of({"border": value}).extras == {"token": "border"}


@pytest.mark.parametrize("value", [-1, 25, 4.0, 4.5, "4", True, False, None, [], {}, 2**63])
def test_a_malformed_radius_is_named(value):
    assert refusal_of({"radius": value}).extras == {"token": "radius"}


@pytest.mark.parametrize("value", [0, 1, 24])
def test_a_radius_in_its_bounds_is_taken(value):
    check_theme({"radius": value})


def test_every_fault_is_told_and_none_twice():
    refusal = refusal_of({"border": "x", "radius": 99, "nope": 1})
    assert [error["pointer"] for error in refusal.errors] == ["/theme/border", "/theme/radius", "/theme/nope"]


def test_a_flood_of_faults_is_cut():
    assert len(refusal_of({f"t{number}": 1 for number in range(10_000)}).errors) == 20


colour = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")
themes = st.dictionaries(st.sampled_from([m + c for m in MODES for c in COLOURS]), colour, max_size=20)


@given(themes)
def test_taken_exactly_when_every_pair_can_be_read(theme):
    whole = palette(theme)
    fails = [
        (mode + foreground, mode + background)
        for mode in MODES
        for foreground, background, floor in FLOORS
        if contrast(whole[mode + foreground], whole[mode + background]) < floor
    ]
    if not fails:
        check_theme(theme)
        return
    refusal = refusal_of(theme)
    foreground, background = fails[0]
    assert refusal.extras["token"] == (foreground if foreground in theme else background)
    assert refusal.extras["token"] in theme
    assert {refusal.extras["token"], refusal.extras["against"]} == {foreground, background}
    assert refusal.extras["ratio"] < refusal.extras["floor"]
    assert len(refusal.errors) == len(fails)
