"""The route table as the operations of a client, each with the resource and the name that it has there."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).resolve().parent
DESCRIBE = HERE.parent.parent / "console" / "describe_api.py"
NAMES = tomllib.loads((HERE / "names.toml").read_text("utf-8"))

Kind = Literal["json", "pages", "nothing", "events", "bytes", "upload"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One place of a path, or one word of a query."""

    name: str
    schema: Mapping[str, Any]
    #: Whether it takes slashes, in a path.
    greedy: bool = False

    @property
    def doc(self) -> str:
        return str(self.schema.get("description", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row of the table, as a method of a client."""

    resource: str
    name: str
    method: str
    path: str
    doc: str
    kind: Kind
    permission: str | None
    feature: str | None
    places: Sequence[Parameter]
    query: Sequence[Parameter]
    body: Mapping[str, Any] | None
    body_required: bool
    reply: Mapping[str, Any]
    #: Whether the reply may be that there is nothing.
    maybe_nothing: bool
    #: Whether a repeat of a POST is told apart by an `Idempotency-Key`.
    keyed: bool


def read_document() -> Mapping[str, Any]:
    """Returns the OpenAPI document of what ships."""
    done = subprocess.run([sys.executable, DESCRIBE], capture_output=True, check=True, cwd=DESCRIBE.parent)
    document: Mapping[str, Any] = json.loads(done.stdout)
    return document


def read_operations(document: Mapping[str, Any]) -> list[Operation]:
    """Returns the operations by resource and name. Raises `ValueError` where two have one name."""
    found = sorted(_operations(document), key=lambda one: (one.resource, one.name))
    for one, other in pairwise(found):
        if (one.resource, one.name) == (other.resource, other.name):
            rows = f"{one.method} {one.path} and {other.method} {other.path}"
            raise ValueError(
                f"{rows} are both {one.resource}.{one.name}: name one in clients/generator/names.toml"
            )
    return found


def _operations(document: Mapping[str, Any]) -> Iterator[Operation]:
    for template, rows in document["paths"].items():
        for method, row in rows.items():
            if method == "options" or _is_skipped(template):
                continue
            base = _operation(method.upper(), template, row)
            yield base
            if base.kind == "json" and "text/event-stream" in _reply_of(row)[1]:
                yield _operation(method.upper(), template, row, stream=True)


def _is_skipped(template: str) -> bool:
    if not template.startswith("/api/"):
        return template not in ("/health", "/ready")
    return template.startswith(tuple(NAMES["skipped"]["paths"]))


def _operation(method: str, template: str, row: Mapping[str, Any], *, stream: bool = False) -> Operation:
    places = tuple(_parameter(one) for one in row["parameters"] if one["in"] == "path")
    query = tuple(_parameter(one) for one in row["parameters"] if one["in"] == "query")
    status, content = _reply_of(row)
    body = row.get("requestBody", {})
    kind = "events" if stream else _kind(body, query, content)
    marked = re.sub(r"{(\w+)}", lambda found: _mark(found[1], places), template)
    resource, name = _name(method, marked, kind)
    return Operation(
        resource=resource,
        name=f"{name}_stream" if stream else name,
        method=method,
        path=template,
        doc=row["summary"],
        kind=kind,
        permission=row["x-permission"],
        feature=row["x-feature"],
        places=places,
        query=query,
        body=body.get("content", {}).get("application/json", {}).get("schema"),
        body_required=body.get("required", False),
        reply=content.get("application/json", {}).get("schema", {}),
        maybe_nothing=status != "204" and "204" in row["responses"],
        keyed=method == "POST" and not template.startswith(tuple(NAMES["without_key"]["paths"])),
    )


def _parameter(told: Mapping[str, Any]) -> Parameter:
    doc = {"description": told["description"]} if "description" in told else {}
    return Parameter(told["name"], {**told["schema"], **doc}, "slashes" in doc.get("description", ""))


def _mark(name: str, places: Sequence[Parameter]) -> str:
    return f"*{name}" if any(one.greedy for one in places if one.name == name) else f":{name}"


def _reply_of(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    good = sorted(status for status in row["responses"] if status.startswith("2"))
    bodies = [status for status in good if row["responses"][status].get("content")]
    status = (bodies or good)[0]
    return status, row["responses"][status].get("content", {})


def _kind(body: Mapping[str, Any], query: Sequence[Parameter], content: Mapping[str, Any]) -> Kind:
    if "application/octet-stream" in body.get("content", {}):
        return "upload"
    if not content:
        return "nothing"
    if "application/json" not in content:
        return "events" if "text/event-stream" in content else "bytes"
    properties = content["application/json"]["schema"].get("properties", {})
    paged = {"items", "next_cursor"} <= {*properties} and any(one.name == "cursor" for one in query)
    return "pages" if paged else "json"


_VERBS = {"GET": "get", "POST": "create", "PUT": "set", "PATCH": "update", "DELETE": "delete"}


def _name(method: str, path: str, kind: Kind) -> tuple[str, str]:
    """Returns the resource of a row, and what it is called there."""
    if (chosen := NAMES["operations"].get(f"{method} {path}")) is not None:
        resource, _, name = chosen.partition(".")
        return resource, name
    resource, rest = _resource(path.removeprefix("/api").strip("/").split("/"))
    words = [re.sub(r"\W", "_", word) for word in rest if word[0] not in ":*"]
    of_one = bool(rest) and rest[-1][0] in ":*"
    if not words:
        return resource, _bare_name(method, of_one, kind)
    if of_one:
        words[-1] = singular(words[-1])
    elif len(rest) > 2 and rest[-2][0] in ":*" and len(words) > 1:
        # A word about one of several: `members/:id/suspend` is `suspend_member`.
        about = singular(words[-2])
        words[-2:] = [about, words[-1]] if method == "GET" else [words[-1], about]
    name = "_".join(words)
    if method == "GET" or (method == "POST" and not _is_list(name)):
        return resource, name
    return resource, f"{_VERBS[method]}_{singular(name) if method == 'POST' else name}"


def _bare_name(method: str, of_one: bool, kind: Kind) -> str:
    if method == "GET" and kind == "pages":
        return "list"
    if method == "PUT" and of_one:
        return "update"
    return "set" if method == "POST" and of_one else _VERBS[method]


def _is_list(name: str) -> bool:
    """Tells whether a POST to this adds one of several: it is a plural."""
    return name.endswith("s") and not name.endswith("ss")


def _resource(parts: list[str]) -> tuple[str, list[str]]:
    """Returns the resource that a path belongs to, and what of the path is left."""
    for length in range(len(parts), 0, -1):
        if (resource := NAMES["resources"].get("/".join(parts[:length]))) is not None:
            return resource, parts[length:]
    return re.sub(r"\W", "_", parts[0]), parts[1:]


def singular(name: str) -> str:
    """Returns what one of several is called."""
    if (chosen := NAMES["singular"].get(name)) is not None:
        return str(chosen)
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-1] if _is_list(name) else name
