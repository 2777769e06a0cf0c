"""Dataclasses without compiling their methods: closures over the fields do for all but `__init__`.

That is compiled when the first of a class is made: most classes have none while a server starts.
"""

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, InitVar
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any

_OPTIONS = frozenset({"eq", "frozen", "kw_only", "slots"})
# How these of a class's own go together with what is made, the standard library judges.
_JUDGED = frozenset(
    {"__delattr__", "__eq__", "__getstate__", "__hash__", "__init__", "__setattr__", "__setstate__"}
)
_GIVEN_NONE = object()
# What else has a name in an initializer.
_TAKEN = ("_GIVEN_NONE", "_default_", "_make_", "_set")

Values = Callable[[Any], tuple[Any, ...]]


def can_make(cls: type, options: Mapping[str, bool]) -> bool:
    """Tells whether a class is of the plain kind that `make` knows."""
    annotations = get_annotations(cls)
    return (
        options.keys() <= _OPTIONS
        and _JUDGED.isdisjoint(cls.__dict__)
        and not hasattr(cls, "__dataclass_fields__")
        and not any(map(_is_init_only, annotations.values()))
        and not any(name == "self" or name.startswith(_TAKEN) for name in annotations)
    )


def _is_init_only(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return "InitVar" in annotation
    return annotation is InitVar or isinstance(annotation, InitVar)


def make(cls: type, **options: bool) -> type:
    """Returns the class as a dataclass; with slots it is another than the one given."""
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # or the standard library would write the signature there
    plain = {**options, "frozen": False, "init": False, "repr": False, "eq": False}
    made: Any = dataclasses.dataclass(**plain)(cls)
    params = made.__dataclass_params__
    params.init = params.repr = True
    params.eq, params.frozen = options.get("eq", True), options.get("frozen", False)
    fields = dataclasses.fields(made)
    _check_order(fields)
    names = [one.name for one in fields]
    methods: dict[str, Callable[..., Any] | None] = {"__init__": _initializer(made, fields)}
    if "__repr__" not in made.__dict__:
        methods["__repr__"] = _representation([one.name for one in fields if one.repr])
    if params.eq:
        methods["__eq__"] = _equality(_values([one.name for one in fields if one.compare]))
        hashed = [one.name for one in fields if _is_hashed(one)]
        methods["__hash__"] = _hashing(_values(hashed)) if params.frozen else None
    if params.frozen:
        methods |= _refusals(made, frozenset(names))
        methods |= _pickling(names) if options.get("slots") else {}
    for name, method in methods.items():
        if method is not None:
            method.__qualname__ = f"{made.__qualname__}.{name}"
        setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _check_order(fields: Sequence[Field[Any]]) -> None:
    """Raises `TypeError` for a field that must be given behind one that need not be."""
    has_default = False
    for field in fields:
        if not field.init or field.kw_only:
            continue
        if field.default is not MISSING or field.default_factory is not MISSING:
            has_default = True
        elif has_default:
            raise TypeError(f"non-default argument {field.name!r} follows default argument")


def _is_hashed(field: Field[Any]) -> bool:
    return field.compare if field.hash is None else field.hash


def _initializer(made: Any, fields: Sequence[Field[Any]]) -> Callable[..., None]:
    def __init__(self: Any, *values: Any, **named: Any) -> None:
        made.__init__ = _compiled_initializer(made, fields)
        made.__init__(self, *values, **named)

    return __init__


def _compiled_initializer(made: Any, fields: Sequence[Field[Any]]) -> Callable[..., None]:
    given = [one for one in fields if one.init]
    by_name = [one for one in given if one.kw_only]
    names: dict[str, Any] = {"_GIVEN_NONE": _GIVEN_NONE}
    parameters = ["self", *(_parameter(one, names) for one in given if not one.kw_only)]
    if by_name:
        parameters += ["*", *(_parameter(one, names) for one in by_name)]
    lines = [line for one in fields if (line := _assignment(made, one, names))]
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {body}", names)  # noqa: S102 - of the names of fields
    initializer: Callable[..., None] = names["__init__"]
    initializer.__qualname__ = f"{made.__qualname__}.__init__"
    initializer.__module__ = made.__module__
    initializer.__annotations__ = {one.name: one.type for one in given} | {"return": None}
    return initializer


def _parameter(field: Field[Any], names: dict[str, Any]) -> str:
    if field.default_factory is not MISSING:
        return f"{field.name}=_GIVEN_NONE"
    if field.default is MISSING:
        return field.name
    names[f"_default_{field.name}"] = field.default
    return f"{field.name}=_default_{field.name}"


def _assignment(made: Any, field: Field[Any], names: dict[str, Any]) -> str:
    """Returns the line that sets a field: of a frozen class by its slot, past the refusal to set any."""
    name = field.name
    value = name
    if field.default_factory is not MISSING:
        names[f"_make_{name}"] = field.default_factory
        value = f"_make_{name}()" + (f" if {name} is _GIVEN_NONE else {name}" if field.init else "")
    elif not field.init:
        if field.default is MISSING or not _has_slot(made, name):
            return ""
        names[f"_default_{name}"] = field.default
        value = f"_default_{name}"
    if not made.__dataclass_params__.frozen:
        return f"self.{name} = {value}"
    if _has_slot(made, name):
        names[f"_set_{name}"] = made.__dict__[name].__set__
        return f"_set_{name}(self, {value})"
    names["_set"] = object.__setattr__
    return f"_set(self, {name!r}, {value})"


def _has_slot(made: Any, name: str) -> bool:
    return name in made.__dict__.get("__slots__", ())


def _values(names: Sequence[str]) -> Values:
    if not names:
        return lambda one: ()
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda one: (get(one),)


def _equality(values: Values) -> Callable[..., Any]:
    def __eq__(self: Any, other: object) -> Any:
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    return __eq__


def _hashing(values: Values) -> Callable[..., Any]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _representation(names: Sequence[str]) -> Callable[..., Any]:
    @recursive_repr("...")
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _refusals(made: Any, names: Collection[str]) -> dict[str, Callable[..., Any]]:
    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}


def _pickling(names: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """Returns how copies and pickles are made: by default they set the fields of what is frozen."""

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: Sequence[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return {"__getstate__": __getstate__, "__setstate__": __setstate__}
