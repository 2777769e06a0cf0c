import pytest

from libs.secret_values import guessable, looks_like_path, parsed, secret_from, with_password


def test_a_secret_comes_from_its_variable_or_from_the_file_that_another_names(tmp_path):
    (tmp_path / "key").write_text("\ufeffchance\n")
    assert secret_from({}, "KEY") is None
    assert secret_from({"KEY": "chance"}, "KEY") == "chance"
    assert secret_from({"KEY_FILE": str(tmp_path / "key")}, "KEY") == "chance"
    with pytest.raises(ValueError, match="leave one out"):
        secret_from({"KEY": "a", "KEY_FILE": "b"}, "KEY")


def test_what_can_be_guessed_is_named():
    assert guessable("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", lambda _: False) == "can be guessed"
    assert guessable("k8Zq3vPw0sKd7Lm2Rt5XybcW9fGu1JpL", lambda _: True) == "can be guessed"
    assert guessable("k8Zq3vPw0sKd7Lm2Rt5XybcW9fGu1JpL", lambda _: False) is None
    assert looks_like_path("/run/secrets/key")


def test_a_password_that_ends_the_name_of_a_server_early_is_refused():
    assert with_password("postgresql://ada:p%2Fw@db/hall?a=1") == "postgresql://ada:p%2Fw@db/hall?a=1"
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
