"""Flat records: what is one, and how it comes back."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from libs.records import FieldsMissing, content_of, record_fault, restored


@dataclass(frozen=True)
class Sale:
    item: str
    price: int | float
    tags: tuple[str, ...] = ()
    kind: Literal["retail", "trade"] = "retail"
    note: str | None = None


@dataclass
class Loose:
    item: str


@dataclass(frozen=True)
class Nested:
    items: dict[str, Any] = field(default_factory=dict)


def test_a_record_comes_back_as_it_was():
    sale = Sale("bread", 2.5, ("rye", "small"), note="fresh")
    assert record_fault(Sale) is None
    assert restored(Sale, json.loads(json.dumps(content_of(sale)))) == sale


def test_another_version_of_a_record_is_restored_if_it_can_be():
    assert restored(Sale, {"item": "bread", "price": 2, "gone": 1}) == Sale("bread", 2)
    with pytest.raises(FieldsMissing) as missing:
        restored(Sale, {"gone": 1})
    assert missing.value.names == ["item", "price"]


@pytest.mark.parametrize(
    ("kind", "fault"),
    [(str, "must be a dataclass"), (Loose, "Loose must be frozen"), (Nested, "the field items must be text")],
)
def test_what_is_no_record_is_told_why(kind, fault):
    assert fault in record_fault(kind)
