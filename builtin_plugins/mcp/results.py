"""What a tool answers, in the form that agents and workflows take."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import UserError
from guildhall_sdk.tools import Artifact

MAX_BYTES = 1024 * 1024
MAX_ERROR_CHARACTERS = 2_000
_BINARY = frozenset({"image", "audio"})


@dataclass(frozen=True, slots=True)
class RemoteResult:
    """The content of an answer, by the names of the protocol."""

    content: Sequence[Mapping[str, Any]]
    structured: Any
    is_error: bool

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "RemoteResult":
        return cls(
            answer.get("content", ()), answer.get("structuredContent"), bool(answer.get("isError", False))
        )

    def value(self, tool: str, hide: Callable[[str], str]) -> Any:
        """Text, a JSON value, or an artifact where there are bytes; raises `UserError` for a failure.

        `hide` takes the secrets of the entry out of each text.
        """
        text = hide("\n".join(filter(None, map(_text_of, self.content))))
        if self.is_error:
            said = text[:MAX_ERROR_CHARACTERS] or "nothing more"
            raise UserError(f"The tool {tool} failed; it says: {said}", code="tool_failed")
        binary = [hidden(dict(block), hide) for block in self.content if _is_binary(block)]
        structured = None if self.structured is None else hidden(self.structured, hide)
        self._check_size(tool, text, binary, structured)
        if binary:
            return _artifact(tool, text, binary, structured)
        return text if structured is None else structured

    def _check_size(self, tool: str, *parts: Any) -> None:
        if len(json.dumps(parts, ensure_ascii=False).encode("utf-8", "replace")) > MAX_BYTES:
            raise UserError(
                f"The tool {tool} answered more than {MAX_BYTES // 2**20} MiB; ask it for less.",
                code="result_too_large",
            )


def _text_of(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "resource_link":
        return f"[{block.get('title') or block.get('name')}]({block.get('uri')})"
    if kind == "resource":
        return str(block.get("resource", {}).get("text", ""))
    return ""


def _is_binary(block: Mapping[str, Any]) -> bool:
    return block.get("type") in _BINARY or "blob" in (block.get("resource") or {})


def _artifact(tool: str, text: str, binary: Sequence[Mapping[str, Any]], structured: Any) -> Artifact:
    first = binary[0].get("resource") or binary[0]
    extra = {"content": list(binary)} | ({} if structured is None else {"structured": structured})
    return Artifact(
        "image" if binary[0].get("type") == "image" else "document",
        tool,
        text,
        content_type=first.get("mimeType"),
        extra=extra,
    )


def hidden(value: Any, hide: Callable[[str], str]) -> Any:
    """The value with secrets taken out of each text, names included."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {hide(name): hidden(one, hide) for name, one in value.items()}
    if isinstance(value, list):
        return [hidden(one, hide) for one in value]
    return value
