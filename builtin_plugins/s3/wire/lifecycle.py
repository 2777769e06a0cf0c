"""Lifecycle configurations: the rules of a team, as S3 writes them. The rest is refused by name."""

import re
from collections.abc import Sequence

from builtin_plugins.s3.wire.errors import (
    InvalidArgument,
    InvalidRequest,
    MalformedXML,
    MaxMessageLengthExceeded,
    Unimplemented,
)
from builtin_plugins.s3.wire.xml import Element, document, element, nest, parse
from guildhall_sdk.services.stored_objects import MAX_DAYS, MAX_KEPT, MAX_RULES, LifecycleRule

MAX_BYTES = 256 * 1024
_MAX_ID = 255
_MAX_PREFIX = 1024
_NUMBER = re.compile(r"[0-9]{1,9}")
_OFFERED = frozenset(
    {"ID", "Status", "Prefix", "Filter", "NoncurrentVersionExpiration", "Expiration", "DelMarkerExpiration"}
)
_NOT_OFFERED = {
    "Transition": "There is one storage class: Transition is not offered.",
    "NoncurrentVersionTransition": (
        "There is one storage class: NoncurrentVersionTransition is not offered."
    ),
    "AbortIncompleteMultipartUpload": (
        "AbortIncompleteMultipartUpload is not offered:"
        " an upload that nobody has touched for a week is aborted."
    ),
}


def parse_lifecycle(body: bytes) -> Sequence[LifecycleRule]:
    if len(body) > MAX_BYTES:
        raise MaxMessageLengthExceeded(f"A lifecycle configuration takes at most {MAX_BYTES // 1024} KiB.")
    root = parse(body, "LifecycleConfiguration")
    if any(child.name != "Rule" for child in root.children):
        raise MalformedXML("A LifecycleConfiguration is made of Rule.")
    if not 1 <= len(root.children) <= MAX_RULES:
        raise MalformedXML(f"A LifecycleConfiguration has 1 to {MAX_RULES} rules.")
    given = {name for name in map(_rule_id, root.children) if name}
    rules = [_parse_rule(child, number, given) for number, child in enumerate(root.children)]
    if len({rule.id for rule in rules}) < len(rules):
        raise InvalidArgument("Rule ID must be unique. Found same ID for more than one rule.")
    return rules


def lifecycle_document(rules: Sequence[LifecycleRule]) -> bytes:
    return document("LifecycleConfiguration", map(_rule_element, rules))


def _parse_rule(node: Element, number: int, given: set[str]) -> LifecycleRule:
    for child in node.children:
        if child.name in _NOT_OFFERED:
            raise Unimplemented(_NOT_OFFERED[child.name])
        if child.name not in _OFFERED:
            raise MalformedXML(f"A Rule has no {child.name}.")
    status = (node.value("Status") or "").strip()
    if status not in ("Enabled", "Disabled"):
        raise MalformedXML("The Status of a Rule is Enabled or Disabled.")
    days, kept = _noncurrent(node.find("NoncurrentVersionExpiration"))
    rule = LifecycleRule(
        id=_rule_id(node) or _made_id(number, given),
        enabled=status == "Enabled",
        prefix=_prefix(node),
        old_version_days=days,
        keep_old_versions=kept,
        empty_markers=_empty_markers(node.find("Expiration")),
        deleted_days=_deleted_days(node.find("DelMarkerExpiration")),
    )
    if not rule.acts:
        raise InvalidRequest("At least one action needs to be specified in a rule.")
    if rule.deleted_days is not None and (rule.old_version_days is not None or rule.empty_markers):
        raise InvalidRequest("DelMarkerExpiration stands in a rule of its own.")
    return rule


def _rule_id(node: Element) -> str:
    text = node.value("ID") or ""
    if len(text) > _MAX_ID:
        raise InvalidArgument(f"ID length should not exceed allowed limit of {_MAX_ID}.")
    return text


def _made_id(number: int, given: set[str]) -> str:
    made = f"rule-{number + 1}"
    while made in given:
        made += "-"
    return made


def _prefix(node: Element) -> str:
    legacy, chosen = node.find("Prefix"), node.find("Filter")
    if (legacy is None) == (chosen is None):
        raise MalformedXML("A Rule has a Filter, or a Prefix.")
    found = legacy
    if chosen is not None:
        if len(chosen.children) > 1:
            raise MalformedXML("A Filter has one of Prefix, Tag, ObjectSize and And.")
        found = chosen.children[0] if chosen.children else None
        if found is not None and found.name == "And":
            found = _only_prefix(found)
        elif found is not None and found.name != "Prefix":
            raise _not_offered_in_filter(found.name)
    text = "" if found is None else found.text
    if "\0" in text or len(text.encode()) > _MAX_PREFIX:
        raise InvalidRequest(f"The maximum size of a prefix is {_MAX_PREFIX}.")
    return text


def _only_prefix(node: Element) -> Element | None:
    other = next((child.name for child in node.children if child.name != "Prefix"), None)
    if other is not None:
        raise _not_offered_in_filter(other)
    return node.find("Prefix")


def _not_offered_in_filter(name: str) -> Exception:
    if name in ("Tag", "ObjectSizeGreaterThan", "ObjectSizeLessThan"):
        return Unimplemented(f"Rules are chosen by prefix: {name} is not offered.")
    return MalformedXML(f"A Filter has no {name}.")


def _noncurrent(node: Element | None) -> tuple[int | None, int]:
    if node is None:
        return None, 0
    _check_children(node, "NoncurrentDays", "NewerNoncurrentVersions")
    if node.find("NoncurrentDays") is None:
        raise MalformedXML("A NoncurrentVersionExpiration has NoncurrentDays.")
    days = _positive(node, "NoncurrentDays", MAX_DAYS)
    if node.find("NewerNoncurrentVersions") is None:
        return days, 0
    return days, _positive(node, "NewerNoncurrentVersions", MAX_KEPT)


def _empty_markers(node: Element | None) -> bool:
    if node is None:
        return False
    for name in ("Days", "Date", "ExpiredObjectAllVersions"):
        if node.find(name) is not None:
            raise Unimplemented(
                f"The newest version is never thrown away: {name} in an Expiration is not offered."
            )
    _check_children(node, "ExpiredObjectDeleteMarker")
    text = (node.value("ExpiredObjectDeleteMarker") or "").strip()
    if text not in ("true", "false"):
        raise MalformedXML("ExpiredObjectDeleteMarker is true or false.")
    return text == "true"


def _deleted_days(node: Element | None) -> int | None:
    if node is None:
        return None
    _check_children(node, "Days")
    return _positive(node, "Days", MAX_DAYS)


def _check_children(node: Element, *names: str) -> None:
    if unknown := next((child.name for child in node.children if child.name not in names), None):
        raise MalformedXML(f"A {node.name} has no {unknown}.")


def _positive(node: Element, name: str, most: int) -> int:
    text = (node.value(name) or "").strip()
    if not text.isascii() or not text.lstrip("-").isdigit():
        raise MalformedXML(f"{name} is a whole number.")
    if not _NUMBER.fullmatch(text) or not 1 <= int(text) <= most:
        raise InvalidArgument(f"'{name}' for {node.name} action must be a positive integer, at most {most}.")
    return int(text)


def _rule_element(rule: LifecycleRule) -> str:
    actions = []
    if rule.old_version_days is not None:
        numbers = (
            element("NoncurrentDays", rule.old_version_days),
            element("NewerNoncurrentVersions", rule.keep_old_versions or None),
        )
        actions.append(nest("NoncurrentVersionExpiration", numbers))
    if rule.empty_markers:
        actions.append(nest("Expiration", [element("ExpiredObjectDeleteMarker", True)]))
    if rule.deleted_days is not None:
        actions.append(nest("DelMarkerExpiration", [element("Days", rule.deleted_days)]))
    return nest(
        "Rule",
        (
            element("ID", rule.id),
            nest("Filter", [element("Prefix", rule.prefix)]),
            element("Status", "Enabled" if rule.enabled else "Disabled"),
            *actions,
        ),
    )
