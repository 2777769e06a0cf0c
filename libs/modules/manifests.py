"""Manifests of modules: a JSON object with fields of known types, one of which names a file beside it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_MODULE = re.compile(r"[A-Za-z_]\w*\.py")


class ManifestFault(Exception):
    """What is wrong with a manifest, in words for its author."""


def peek_manifest(path: Path) -> Mapping[str, Any]:
    """Returns the fields of a manifest, even of one that is wrong; none where it cannot be read."""
    try:
        return _fields(path)
    except ManifestFault:
        return {}


def read_manifest(
    path: Path, texts: tuple[str, ...], optional: Mapping[str, type], *, entry: str
) -> dict[str, Any]:
    """Returns the fields: these texts, none empty, and maybe the optional ones; raises `ManifestFault`.

    The text named `entry` is the name of a Python file beside the manifest.
    """
    fields = _fields(path)
    for name in texts:
        if type(fields.get(name)) is not str or not fields[name]:
            raise ManifestFault(f"{path.name} must have a text field {name!r}")
    for name, value in fields.items():
        if name not in texts and type(value) is not optional.get(name):
            raise ManifestFault(f"{path.name} has an unknown or malformed field {name!r}")
    file = fields[entry]
    if not _MODULE.fullmatch(file) or not path.with_name(file).is_file():
        raise ManifestFault(f"the {entry} {file!r} is not a Python file beside {path.name}")
    return fields


def _fields(path: Path) -> dict[str, Any]:
    try:
        fields = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ManifestFault(f"{path.name} cannot be read: {error}") from None
    if not isinstance(fields, dict):
        raise ManifestFault(f"{path.name} must hold an object")
    return fields
