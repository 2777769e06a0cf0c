"""PATCH as RFC 7644 has it: operations on the attributes of a document."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.scim import attributes
from builtin_plugins.scim.answers import invalid_filter, invalid_path, invalid_value, unchangeable
from builtin_plugins.scim.attributes import Attribute, Document, Kind
from builtin_plugins.scim.filters import Filter, name_of, read_filter
from guildhall_sdk import InvalidRequest
from libs.fair_slots import Steps

MAX_OPERATIONS = 1000
#: Of the filters of one PATCH together: each is tried on a whole list.
_MAX_FILTERS = 2000
_PATH = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<filter>.*)\])?(?:\.(?P<part>[A-Za-z$]\w*))?", re.DOTALL)


class Operation(NamedTuple):
    """One operation: `add`, `remove` or `replace`, its path where it has one, and its value."""

    op: str
    path: str | None
    value: Any


class Target(NamedTuple):
    """What a path names: an attribute, in an extension maybe, some of its items, and a part of these."""

    attribute: Attribute
    urn: str | None
    filter: Filter | None
    part: Attribute | None


def operations_of(body: Any) -> Sequence[Operation]:
    """Returns the operations of a PATCH; raises `InvalidRequest`."""
    given = body.get("Operations", body.get("operations")) if isinstance(body, Mapping) else None
    if not isinstance(given, list) or not given:
        raise InvalidRequest('A PATCH has "Operations", a list of {op, path, value}.')
    if len(given) > MAX_OPERATIONS:
        raise InvalidRequest(f"A PATCH takes {MAX_OPERATIONS} operations.", code="too_many")
    return [_operation(one) for one in given]


def patch_steps(kind: Kind, document: Document, operations: Sequence[Operation]) -> Steps[Document]:
    """Returns a document with all operations applied, one in each step."""
    patched = dict(document)
    if sum(len(one.path.partition("[")[2]) for one in operations if one.path) > _MAX_FILTERS:
        raise invalid_filter(f"The filters of one PATCH take {_MAX_FILTERS} characters; send several.")
    for operation in operations:
        patch(kind, patched, operation)
        yield
    return patched


def _operation(given: Any) -> Operation:
    op = given.get("op") if isinstance(given, Mapping) else None
    path = given.get("path") if isinstance(given, Mapping) else None
    if not isinstance(op, str) or op.lower() not in ("add", "remove", "replace"):
        raise InvalidRequest("The op of an operation is add, remove or replace.")
    if path is not None and (not isinstance(path, str) or len(path) > 500):
        raise invalid_path("A path is a text of at most 500 characters.")
    if not path and op.lower() == "remove":
        raise InvalidRequest("To remove something an operation names its path.", code="no_target")
    return Operation(op.lower(), path or None, given.get("value"))


def target_of(kind: Kind, path: str) -> Target | None:
    """Returns what a path names; None for an attribute that is not known, which is left alone."""
    match = _PATH.fullmatch(path)
    if match is None:
        raise invalid_path(f"{path[:80]} is no path.")
    urn = kind.extension(match["name"])
    if urn is not None:
        whole = Attribute(urn, "complex", subs=kind.extensions[urn])
        return Target(whole, None, None, None)
    name = name_of(match["name"])
    owner = kind.extension(name.urn) if name.urn else None
    if name.urn and owner is None:
        return None
    first = name.parts[0]
    attribute = kind.attribute(first) if owner is None else attributes.extension_attribute(kind, owner, first)
    if attribute is None:
        if owner is None and first in ("id", "meta", "schemas"):
            raise unchangeable(first)
        return None
    part_name = match["part"] or (name.parts[1] if len(name.parts) > 1 else None)
    part = None if part_name is None else attributes.sub_attribute(attribute, part_name)
    if part_name is not None and part is None:
        raise invalid_path(f"{attribute.name} has no {part_name[:40]}.")
    if attribute.read_only or (part is not None and part.read_only):
        raise unchangeable(path[:80])
    wanted = None if match["filter"] is None else read_filter(match["filter"])
    if wanted is not None and not attribute.multi:
        raise invalid_path(f"{attribute.name} is no list.")
    return Target(attribute, owner, wanted, part)


def patch(kind: Kind, document: Document, operation: Operation) -> None:
    """Applies an operation to a document of attributes that can be written."""
    if operation.path is None:
        _merge(kind, document, operation)
        return
    target = target_of(kind, operation.path)
    if target is None:
        return
    if target.attribute.name in kind.extensions:
        _patch_extension(kind, document, target.attribute.name, operation)
        return
    holder = document if target.urn is None else dict(document.get(target.urn, {}))
    _apply(holder, target, operation)
    if target.urn is not None:
        if holder:
            document[target.urn] = holder
        else:
            document.pop(target.urn, None)


def _merge(kind: Kind, document: Document, operation: Operation) -> None:
    if not isinstance(operation.value, Mapping):
        raise invalid_value("Without a path the value is a JSON object of attributes.")
    for name, value in operation.value.items():
        if name.lower() in ("schemas", "id", "meta"):
            continue
        attribute = kind.attribute(name)
        if attribute is not None and attribute.read_only:
            continue  # what a client has read and sends back
        patch(kind, document, Operation(operation.op, name, value))


def _patch_extension(kind: Kind, document: Document, urn: str, operation: Operation) -> None:
    if operation.op == "remove":
        document.pop(urn, None)
        return
    if not isinstance(operation.value, Mapping):
        raise invalid_value(f"{urn} is a JSON object.")
    for name, value in operation.value.items():
        patch(kind, document, Operation(operation.op, f"{urn}:{name}", value))


def _apply(holder: Document, target: Target, operation: Operation) -> None:
    attribute = target.attribute
    if target.filter is not None:
        _apply_to_items(holder, target, operation)
    elif target.part is not None:
        _apply_to_part(holder, attribute, target.part, operation)
    elif operation.op == "remove":
        if attribute.required:
            raise unchangeable(attribute.name)
        _remove(holder, attribute, operation.value)
    elif operation.op == "add" and attribute.multi:
        _add(holder, attribute, operation.value)
    elif operation.op == "add" and attribute.type == "complex" and isinstance(operation.value, Mapping):
        attributes.put(holder, attribute, {**holder.get(attribute.name, {}), **operation.value})
    else:
        attributes.put(holder, attribute, operation.value)


def _remove(holder: Document, attribute: Attribute, value: Any) -> None:
    """Takes an attribute away, or of a list the items that the value names, as some directories ask."""
    if not attribute.multi:
        attributes.put(holder, attribute, None)
        return
    named = value if isinstance(value, list) else [value]
    values = {one.get("value") for one in named if isinstance(one, Mapping)}
    kept = [one for one in holder.get(attribute.name, ()) if one.get("value") not in values] if values else []
    attributes.put(holder, attribute, kept)


def _add(holder: Document, attribute: Attribute, value: Any) -> None:
    added = attributes.value_of(attribute, value) or []
    before = holder.get(attribute.name, [])
    if any(item.get("primary") for item in added):
        before = [{key: part for key, part in one.items() if key != "primary"} for one in before]
    attributes.put(holder, attribute, [*before, *(item for item in added if item not in before)])


def _apply_to_items(holder: Document, target: Target, operation: Operation) -> None:
    attribute, wanted, part = target.attribute, target.filter, target.part
    assert wanted is not None
    items = [dict(one) for one in holder.get(attribute.name, ())]
    found = [one for one in items if wanted.matches(one)]
    if operation.op == "remove":
        for one in found:
            if part is None:
                items.remove(one)
            else:
                one.pop(part.name, None)
    elif not found:
        items.append(_made_by(wanted, attribute, part, operation.value))
    for one in found if operation.op != "remove" else ():
        if part is not None:
            attributes.put(one, part, operation.value)
        else:
            fields = attributes.value_of(attribute, [operation.value])
            one.update(fields[0] if fields else {})
    changed = _with_one_primary(items, found) if operation.op != "remove" else items
    attributes.put(holder, attribute, [one for one in changed if one])


def _made_by(wanted: Filter, attribute: Attribute, part: Attribute | None, value: Any) -> Document:
    """Returns the item that a filter of equals describes, as directories count on it; else there is none."""
    if not wanted.equal:
        raise InvalidRequest("Nothing is there that the path names.", code="no_target")
    made: Document = {}
    for name, text in wanted.equal.items():
        if (known := attributes.sub_attribute(attribute, name)) is not None:
            attributes.put(made, known, text)
    if part is not None:
        attributes.put(made, part, value)
    elif isinstance(value, Mapping):
        made |= (attributes.value_of(attribute, [value]) or [{}])[0]
    return made


def _with_one_primary(items: list[Document], changed: Sequence[Document]) -> list[Document]:
    """Leaves the primary item that was just written; the one before is it no longer."""
    now = next((one for one in changed if one.get("primary")), None)
    if now is None:
        return items
    return [one if one is now else {k: v for k, v in one.items() if k != "primary"} for one in items]


def _apply_to_part(holder: Document, attribute: Attribute, part: Attribute, operation: Operation) -> None:
    value = None if operation.op == "remove" else operation.value
    if not attribute.multi:
        inner = dict(holder.get(attribute.name, {}))
        attributes.put(inner, part, value)
        attributes.put(holder, attribute, inner)
        return
    items = [dict(one) for one in holder.get(attribute.name, ())]
    if not items and value is not None:
        items = [{}]
    for one in items:
        attributes.put(one, part, value)
    attributes.put(holder, attribute, items)
