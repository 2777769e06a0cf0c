import pytest

from libs.secret_values import (
    as_text,
    guessable,
    looks_like_path,
    parsed,
    secret_from,
    secret_text,
    with_password,
)


def test_a_secret_comes_from_its_variable_or_from_the_file_that_another_names(tmp_path):
    (tmp_path / "key").write_text("\ufeffchance\n")
    assert secret_from({}, "KEY") is None
    assert secret_from({"KEY": "chance"}, "KEY") == "chance"
    assert secret_from({"KEY_FILE": str(tmp_path / "key")}, "KEY") == "chance"
    with pytest.raises(ValueError, match="leave one out"):
        secret_from({"KEY": "a", "KEY_FILE": "b"}, "KEY")


def test_what_can_be_guessed_is_named():
    assert guessable("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") == "can be guessed"
    assert guessable("k8Zq3vPw0sKd7Lm2Change-Me5XybcW9fGu1JpL") == "can be guessed"
    assert guessable("k8Zq3vPw0sKd7Lm2Rt5XybcW9fGu1JpL", "lm2rt5") == "can be guessed"
    assert guessable("k8Zq3vPw0sKd7Lm2Rt5XybcW9fGu1JpL") is None
    assert looks_like_path("/run/secrets/key")


def test_a_secret_that_an_operator_makes_up_is_long_and_no_word():
    parse = secret_text("acme")
    assert parse("k8Zq3vPw0sKd7Lm2") == "k8Zq3vPw0sKd7Lm2"
    for given, says in (
        ("k8Zq3vPw", "at least 16 characters"),
        ("k8Zq-Acme-3vPw0sKd", "^can be guessed; make one"),
    ):
        with pytest.raises(ValueError, match=says):
            parse(given)


def test_a_value_is_printed_as_an_operator_would_write_it():
    values = [True, False, frozenset({"b", "a"}), ("c",), 8, "plain"]
    assert [as_text(value) for value in values] == ["on", "off", "a,b", "c", "8", "plain"]


def test_a_password_that_ends_the_name_of_a_server_early_is_refused():
    assert with_password("postgresql://ada:p%2Fw@db/hall?a=1") == "postgresql://ada:p%2Fw@db/hall?a=1"
    assert with_password("sqlite:////srv/ada@home/hall.db") == "sqlite:////srv/ada@home/hall.db"
    for cut in (
        "postgresql://ada:p/w@db/hall",
        "postgresql://ada:p?w@db/hall",
        "postgresql://ada:p#w@db/hall",
    ):
        with pytest.raises(ValueError, match="percent-encode what is special in its password"):
            with_password(cut)


def test_a_refusal_is_one_line_that_never_repeats_a_secret():
    assert parsed("7", int, None, secret=False) == 7
    assert parsed("7", int, lambda value: None, secret=True) == 7
    for secret, says in ((True, "^is malformed$"), (False, "invalid literal.*'seven'")):
        with pytest.raises(ValueError, match=says):
            parsed("seven", int, None, secret=secret)
    with pytest.raises(ValueError, match=r"^takes two lines$"):
        parsed("7", int, lambda value: "takes\n two lines", secret=True)
