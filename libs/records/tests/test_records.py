"""A record is made of the columns that are named as its fields."""

from dataclasses import dataclass

import pytest

from libs.records import record_of, record_or_none


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    operator: bool
    role: str | None = None


def test_each_field_is_the_column_of_its_name_and_others_are_passed_by():
    row = {"id": "usr_1", "operator": 1, "role": None, "password_hash": "secret"}
    assert record_of(Person, row) == Person("usr_1", True, None)


def test_a_number_of_the_database_is_a_bool():
    assert record_of(Person, {"id": "a", "operator": 0, "role": None}).operator is False


def test_what_is_given_is_not_looked_for():
    assert record_of(Person, {"id": "a", "operator": 0}, role="owner") == Person("a", False, "owner")


def test_a_missing_column_is_named():
    with pytest.raises(KeyError, match="role"):
        record_of(Person, {"id": "a", "operator": 0})


def test_no_row_is_no_record():
    assert record_or_none(Person, None) is None
    assert record_or_none(Person, {"id": "a", "operator": 0, "role": None}) == Person("a", False)
