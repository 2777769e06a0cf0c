from libs.sql_binds import names_in, numbered


def test_a_bind_keeps_its_number() -> None:
    text, names = numbered("SELECT :b, :a, :b::text, a[1:n], ':c', x FROM t -- :d")
    assert text == "SELECT $1, $2, $1::text, a[1:n], ':c', x FROM t -- :d"
    assert names == ("b", "a")


def test_the_binds_of_a_statement_are_those_of_all_its_spellings() -> None:
    assert names_in("SELECT :b, ':c', x::text", "SELECT :a, :b") == ("b", "a")


def test_a_text_is_read_once() -> None:
    assert numbered("SELECT :once") is numbered("SELECT :once")
