"""An experience as a value: the fields of its form, its copy by language, its looks, how it scores people."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

TYPES = ("text", "email", "textarea", "select", "checkbox", "url")
#: How long an answer may be where the field does not say.
DEFAULT_LENGTHS: Mapping[str, int] = {"text": 200, "email": 254, "textarea": 2_000, "url": 2_000}
ASSET_KINDS = ("logo", "hero", "font")


class Field(NamedTuple):
    """One question of the form. A checkbox is answered with true or false, all others with text."""

    name: str
    type: str
    label: str
    required: bool
    #: The answers that a `select` takes; empty for other types.
    options: tuple[str, ...] = ()
    #: In characters; 0 for a select or a checkbox.
    max_length: int = 0

    def to_json(self) -> dict[str, Any]:
        content: dict[str, Any] = {
            "name": self.name,
            "type": self.type,
            "label": self.label,
            "required": self.required,
        }
        if self.type == "select":
            content["options"] = list(self.options)
        if self.max_length:
            content["max_length"] = self.max_length
        return content


@dataclass(frozen=True, kw_only=True)
class Document:
    """An experience that was validated. `raw` is its JSON with every language tag in its usual spelling."""

    fields: Sequence[Field]
    #: Texts by language, then by key.
    copy: Mapping[str, Mapping[str, str]]
    theme: Mapping[str, str | int]
    judge_prompt: str = field(repr=False)
    template: str | None = field(repr=False)
    #: Where the pictures and the font are, by kind: the id of an asset, or a path of a plugin's `landing/`.
    assets: Mapping[str, str]
    raw: Mapping[str, Any] = field(repr=False)

    @cached_property
    def text(self) -> str:
        """The document as it is stored."""
        return json.dumps(self.raw, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def digest(self) -> str:
        """What tells this document from every other."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]
