"""Classes made by our `dataclass` do what those of the standard library do."""

import copy
import dataclasses
import pickle
from dataclasses import KW_ONLY, FrozenInstanceError, InitVar, field
from typing import ClassVar

import pytest

from guildhall_sdk.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Parcel:
    """A parcel."""

    KINDS: ClassVar = ("letter", "box")
    to: str
    weight: int = 1
    stamps: list[int] = field(default_factory=list)
    label: str = field(init=False)
    secret: str = field(default="hush", repr=False, compare=False)
    _: KW_ONLY
    fragile: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", f"for {self.to}")


def with_each(**options):
    """Gives the same class as made by each of the two."""
    made = []
    for decorate in (dataclasses.dataclass, dataclass):

        class Thing:
            a: int
            b: str = "b"
            c: list = field(default_factory=lambda: [1])
            d: int = field(default=4, compare=False)
            e: int = field(default=5, init=False)

        made.append(decorate(**options)(Thing))
    return made


def hash_of(one):
    try:
        return hash(one)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("eq", [True, False])
@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize("kw_only", [True, False])
def test_both_make_the_same(eq, frozen, slots, kw_only):
    theirs, ours = (
        (
            repr(one),
            one == cls(a=1, d=9),
            one == cls(a=2),
            one == "another",
            dataclasses.asdict(one),
            repr(dataclasses.replace(one, b="x")),
            [each.name for each in dataclasses.fields(cls)],
            cls.__match_args__,
            hasattr(one, "__dict__"),
            hash_of(cls(a=1, c=())) == hash_of(cls(a=1, c=(), d=7)),
            isinstance(hash_of(cls(a=1, c=())), int),
            repr(copy.copy(one)),
            str(cls.__dataclass_params__),
        )
        for cls in with_each(eq=eq, frozen=frozen, slots=slots, kw_only=kw_only)
        for one in [cls(a=1)]
    )
    assert ours == theirs


@pytest.mark.parametrize(
    "arguments", [((), {}), ((1, 2, 3, 4, 5, 6), {}), ((1,), {"x": 1}), ((1,), {"a": 1})]
)
def test_wrong_arguments_are_refused_by_name(arguments):
    given, named = arguments
    for cls in with_each(frozen=True, slots=True):
        with pytest.raises(TypeError, match=r"Thing\.__init__\(\)"):
            cls(*given, **named)


def test_nothing_of_a_frozen_one_is_set_or_deleted():
    parcel = Parcel("Ada")
    for attempt in (
        lambda: setattr(parcel, "to", "Bob"),
        lambda: setattr(parcel, "other", 1),
        lambda: delattr(parcel, "to"),
    ):
        with pytest.raises(FrozenInstanceError):
            attempt()
    assert parcel == Parcel("Ada")


@pytest.mark.parametrize("slots", [True, False])
def test_a_field_of_one_that_is_not_frozen_is_set(slots):
    for cls in with_each(slots=slots):
        thing = cls(1)
        thing.a, thing.e = 2, 6
        assert (thing.a, thing.e) == (2, 6)
        with pytest.raises(TypeError, match="unhashable"):
            hash(thing)


def test_fields_are_given_as_declared():
    parcel = Parcel("Ada", 2, fragile=True)
    assert repr(parcel) == "Parcel(to='Ada', weight=2, stamps=[], label='for Ada', fragile=True)"
    assert parcel.secret == "hush"
    assert Parcel("Ada").stamps is not Parcel("Ada").stamps
    with pytest.raises(TypeError):
        Parcel("Ada", 2, [], "hush", True)


def test_copies_and_pickles_are_equal():
    parcel = Parcel("Ada", 2, [3])
    assert copy.copy(parcel) == parcel == copy.deepcopy(parcel)
    assert pickle.loads(pickle.dumps(parcel)) == parcel


def test_a_class_may_inherit_from_one_of_the_other_kind():
    @dataclasses.dataclass(frozen=True, slots=True)
    class Express(Parcel):
        hours: int = 1

    @dataclass(frozen=True, slots=True)
    class Overnight(Express):
        name: str = "night"

    assert Overnight("Ada", hours=8).label == "for Ada"
    assert Overnight("Ada") != Express("Ada")
    with pytest.raises(FrozenInstanceError):
        Overnight("Ada").hours = 2


def test_what_it_does_not_know_is_left_to_the_standard_library():
    @dataclass(frozen=True)
    class Doubled:
        given: InitVar[int]
        value: int = 0

        def __post_init__(self, given: int) -> None:
            object.__setattr__(self, "value", given * 2)

    @dataclass(frozen=True)
    class ById:
        id: int
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, ById) and other.id == self.id

        def __hash__(self) -> int:
            return self.id

    @dataclass(order=True)
    class Sorted:
        at: int

    assert Doubled(2).value == 4
    assert len({ById(1, "a"), ById(1, "b")}) == 1
    assert sorted([Sorted(2), Sorted(1)])[0].at == 1


def test_a_field_may_have_any_name():
    @dataclass(frozen=True)
    class Named:
        self: int
        _set: int = 2
        _GIVEN_NONE: int = 3
        _make_list: int = 4
        list: list = field(default_factory=lambda: [5])

    @dataclass
    class Plain:
        _default_rest: int
        rest: int = 6

    named, plain = Named(1), Plain(5)
    assert (named.self, named._set, named._GIVEN_NONE, named._make_list, named.list) == (1, 2, 3, 4, [5])
    assert (plain._default_rest, plain.rest) == (5, 6)


@pytest.mark.parametrize("frozen", [True, False])
def test_a_field_that_must_be_given_behind_one_that_need_not_is_refused_at_once(frozen):
    for decorate in (dataclasses.dataclass, dataclass):
        with pytest.raises(TypeError, match="non-default argument 'b' follows default argument"):

            @decorate(frozen=frozen)
            class Disordered:
                a: list = field(default_factory=list)
                b: int

    @dataclass(frozen=frozen)
    class Ordered:
        a: int = 1
        c: int = field(init=False)
        _: KW_ONLY
        b: int

    assert Ordered(b=2).b == 2


def test_a_class_may_say_how_it_is_copied():
    @dataclass(frozen=True, slots=True)
    class Counted:
        copies: int = 0

        def __setstate__(self, state: object) -> None:
            object.__setattr__(self, "copies", 1)

    assert copy.copy(Counted()).copies == 1
