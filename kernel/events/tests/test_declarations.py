"""Events and subscriptions that a plugin declares with declare_events and declare_subscriptions.

One that is wrong keeps its plugin out, and says where.
"""

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from guildhall_sdk import Event, Statement, Subscription
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover, given


@dataclass(frozen=True)
class Added:
    book: str
    pages: int | None
    kind: Literal["new", "old"]
    tags: tuple[str, ...] = ()


@dataclass
class Loose:
    book: str


@dataclass(frozen=True)
class Deep:
    book: dict[str, Any]


async def hear(call):
    return None


def not_async(call):
    return None


def event(name="toy.book.added", doc="A book is new.", type=Added):
    return Event(name=name, doc=doc, type=type)


def ear(name="hear", event="note.changed", handler=hear, **options):
    return Subscription(name=name, event=event, handler=handler, doc="Hears.", **options)


def reason_for(plugin):
    """Why a plugin is not let in; None for one that is."""
    admission = Admission([*discover([]), given(plugin)])
    return next((one.reason for one in admission.registry.refused if one.id == plugin.PLUGIN.id), None)


@pytest.mark.parametrize(
    "brought",
    [
        {"events": [event()], "subscriptions": [ear(event="toy.book.added", where={"kind": "new"})]},
        {"subscriptions": [ear(), ear("again", where={"change": ("created", "deleted")})]},
        {"subscriptions": [ear(event="run.ended", optional=True)]},
    ],
)
def test_what_is_right_is_let_in(make_plugin, brought):
    assert reason_for(make_plugin(**brought)) is None


@pytest.mark.parametrize(
    "brought, reason",
    [
        ({"events": [event("book.added")]}, "must be named toy.<noun>.<verb>"),
        ({"events": [event("shelf.book.added")]}, "must be named toy.<noun>.<verb>"),
        ({"events": [event(), event()]}, "the event toy.book.added is declared twice"),
        ({"events": [event(doc=" ")]}, "needs a doc line"),
        ({"events": [event(type=dict)]}, "its type must be a dataclass"),
        ({"events": [event(type=Loose)]}, "its type Loose must be frozen"),
        ({"events": [event(type=Deep)]}, "the field book must be text"),
        ({"subscriptions": [ear("Hear me")]}, "small letters"),
        ({"subscriptions": [ear(), ear()]}, "the subscription hear is declared twice"),
        ({"subscriptions": [ear(handler=not_async)]}, "subscription hear: the handler must be async"),
        ({"subscriptions": [ear(event="note.chagned")]}, "nobody declares the event note.chagned; name"),
        ({"subscriptions": [ear(where={"title": "x"})]}, "the event note.changed has no field title"),
        ({"subscriptions": [ear(feature="ears")]}, "nobody declares the feature ears"),
        ({"subscriptions": [ear(max_attempts=0)]}, "max_attempts must be 1 to 100"),
        ({"subscriptions": [ear(timeout_seconds=0)]}, "timeout_seconds must be 1 to 86400"),
    ],
)
def test_what_is_wrong_keeps_its_plugin_out(make_plugin, brought, reason):
    assert reason in reason_for(make_plugin(**brought))


def test_a_query_asks_for_what_the_event_has(make_plugin):
    def wanting(text):
        return ear(event="toy.book.added", wanted=Statement("wanted", text, text))

    def let_in(subscription, **options):
        added = Event(name="toy.book.added", doc="A book is new.", type=Added, **options)
        return reason_for(make_plugin(events=[added], subscriptions=[subscription]))

    asking = wanting("SELECT 1 WHERE :team_id = 'a' AND :book = 'b' AND :shelf = 'c'")
    assert let_in(asking, facts=("shelf",)) is None
    assert "asks for :shelf, which is neither a field nor a fact of the event" in let_in(asking)
    assert "book cannot be the name of a fact" in let_in(asking, facts=("shelf", "book"))
