"""Which themes can be read."""

from libs.themes import DEFAULT, FLOORS, contrast, palette, refusal


def test_the_default_passes_its_own_floors():
    assert refusal({}) is None
    for mode in ("", "dark-"):
        for foreground, background, floor in FLOORS:
            assert contrast(DEFAULT[mode + foreground], DEFAULT[mode + background]) >= floor


def test_a_theme_stands_over_the_default():
    assert palette({"radius": 3}) == {**DEFAULT, "radius": 3}


def test_a_refusal_has_the_fields_of_a_problem():
    assert refusal({"a/b~c": 1}) == {
        "detail": "a/b~c: there is no such token",
        "errors": [{"pointer": "/theme/a~1b~0c", "message": "there is no such token"}],
        "token": "a/b~c",
    }
    close = refusal({"text": "#ffffff"})
    assert (close["token"], close["against"], close["floor"]) == ("text", "bg", 4.5)
    assert close["ratio"] < 4.5
