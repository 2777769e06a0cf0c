"""Validates every experience: those that are saved, those of plugins, and the one of the operator."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from builtin_plugins.beta.experiences.document import ASSET_KINDS, DEFAULT_LENGTHS, TYPES, Document, Field
from guildhall_sdk import InvalidRequest
from guildhall_sdk.errors import json_pointer
from guildhall_sdk.services.pages import ThemeInvalid
from libs import themes
from libs.mustache import MAX_TEMPLATE_CHARACTERS, TemplateRefused, compile_template, escape_html
from libs.names import locale_fault, spelt_locale

MAX_FIELDS = 30
MAX_OPTIONS = 100
MAX_LABEL = 200
MAX_OPTION = 200
MAX_ANSWER = 10_000
#: Of all answers of a form together: what a sign-up brings has to fit into its body.
MAX_ANSWERS = 60_000
MAX_LOCALES = 50
MAX_KEYS = 100
MAX_TEXT = 5_000
MAX_PROMPT = 20_000
#: Of the template, in bytes of UTF-8.
MAX_TEMPLATE = MAX_TEMPLATE_CHARACTERS
#: Of the whole document as JSON, in bytes of UTF-8.
MAX_DOCUMENT = 512 * 1024
HONEYPOT = "website"

_MAX_PROBLEMS = 20
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_ASSET_ID = re.compile(r"ast_[0-9a-z]{26}")
_BUNDLED = re.compile(r"/beta/bundle/[a-z0-9][a-z0-9-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")
_BLANK: Mapping[str, Any] = {"fields": [], "copy": {}, "theme": {}, "judge_prompt": ""}
_MEMBERS = (*_BLANK, "template", "assets")
_FIELD_MEMBERS = ("name", "type", "label", "required", "options", "max_length")
_UNFIT = re.compile("[\x00\ud800-\udfff]")

#: A pointer and what is wrong there.
_Found = tuple[str, str]


def validated_document(raw: Any, *, asset_ids: bool = True) -> Document:
    """Returns the experience; raises `InvalidRequest` with problems by JSON pointer, or `theme_invalid`.

    What is left out of it is empty. Without `asset_ids` its pictures come from plugins alone, as in an
    experience that belongs to no team. It may take some milliseconds: call it outside the event loop.
    """
    if not isinstance(raw, Mapping):
        raise InvalidRequest.at("", "must be an object")
    whole = {**_BLANK, **{name: value for name, value in raw.items() if value is not None}}
    if found := list(islice(_problems(whole, asset_ids), _MAX_PROBLEMS)):
        raise _refusal(found)
    if (refused := themes.refusal(whole["theme"])) is not None:
        raise ThemeInvalid(**refused)
    if not (whole.get("template") or "").strip():
        # An emptied editor means no template, never a page on which nobody can sign up.
        whole.pop("template", None)
    document = _document(whole)
    _check_filled(document)
    if len(document.text.encode()) > MAX_DOCUMENT:
        raise InvalidRequest.at("", f"takes more than {MAX_DOCUMENT // 1024} KiB as JSON; shorten it")
    return document


def stored_document(text: str) -> Document:
    """Returns a document that was validated when it was stored; later rules do not take it away."""
    return _document(json.loads(text))


def _document(whole: Mapping[str, Any]) -> Document:
    copy = {spelt_locale(tag): dict(texts) for tag, texts in whole["copy"].items()}
    raw = {**{name: whole[name] for name in _MEMBERS if name in whole}, "copy": copy}
    return Document(
        fields=tuple(_field(one) for one in whole["fields"]),
        copy=copy,
        theme=dict(whole["theme"]),
        judge_prompt=whole["judge_prompt"],
        template=whole.get("template"),
        assets={kind: place for kind, place in whole.get("assets", {}).items() if place is not None},
        raw=raw,
    )


def _field(raw: Mapping[str, Any]) -> Field:
    kind = raw["type"]
    return Field(
        name=raw["name"],
        type=kind,
        label=raw["label"],
        required=raw.get("required", False),
        options=tuple(raw.get("options", ())),
        max_length=raw.get("max_length", DEFAULT_LENGTHS.get(kind, 0)),
    )


def _refusal(found: list[_Found]) -> InvalidRequest:
    pointer, message = found[0]
    errors = [{"pointer": at, "message": why} for at, why in found]
    return InvalidRequest(f"{pointer or 'body'}: {message}", errors=errors)


def _problems(whole: Mapping[str, Any], asset_ids: bool) -> Iterator[_Found]:
    for name in whole:
        if name not in _MEMBERS:
            yield json_pointer(name), f"there is no such field; there are {', '.join(_MEMBERS)}"
    yield from _of_fields(whole["fields"])
    yield from _of_copy(whole["copy"])
    if not isinstance(whole["theme"], Mapping):
        yield "/theme", "must be an object of tokens"
    yield from _of_text("/judge_prompt", whole["judge_prompt"], MAX_PROMPT)
    if "template" in whole:
        yield from _of_template(whole["template"])
    if "assets" in whole:
        yield from _of_assets(whole["assets"], asset_ids)


def _of_fields(fields: Any) -> Iterator[_Found]:
    if not isinstance(fields, list | tuple):
        yield "/fields", "must be a list"
        return
    if not 1 <= len(fields) <= MAX_FIELDS:
        yield "/fields", f"takes 1 to {MAX_FIELDS} fields"
        return
    names: set[str] = set()
    for place, one in enumerate(fields):
        at = f"/fields/{place}"
        if not isinstance(one, Mapping):
            yield at, "must be an object"
            continue
        yield from _of_field(at, one)
        name = one.get("name")
        if isinstance(name, str):
            if name in names:
                yield f"{at}/name", "is the name of another field too"
            names.add(name)
    if not any(isinstance(one, Mapping) and one.get("type") == "email" for one in fields):
        yield "/fields", "needs a field of type email, so that whoever signs up can be answered"
    if sum(_length(one) for one in fields if isinstance(one, Mapping)) > MAX_ANSWERS:
        yield "/fields", f"takes answers of {MAX_ANSWERS:,} characters in all; lower a max_length"


def _length(one: Mapping[str, Any]) -> int:
    """Returns how long an answer may be; a field that is refused anyway counts for nothing."""
    kind = one.get("type")
    length = one.get("max_length", DEFAULT_LENGTHS.get(kind, MAX_OPTION) if isinstance(kind, str) else 0)
    return length if type(length) is int else 0


def _of_field(at: str, one: Mapping[str, Any]) -> Iterator[_Found]:
    for member in one:
        if member not in _FIELD_MEMBERS:
            yield at + json_pointer(member), f"there is no such field; there are {', '.join(_FIELD_MEMBERS)}"
    name, kind = one.get("name"), one.get("type")
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        yield f"{at}/name", "must be 1 to 64 of a-z, 0-9 and _, and begin with a letter"
    elif name == HONEYPOT:
        yield f"{at}/name", f"{HONEYPOT} is reserved for what only robots fill in; choose another"
    if kind not in TYPES:
        yield f"{at}/type", f"must be one of {', '.join(TYPES)}"
    yield from _of_text(f"{at}/label", one.get("label"), MAX_LABEL, required=True)
    if type(one.get("required", False)) is not bool:
        yield f"{at}/required", "must be true or false"
    yield from _of_options(at, kind, one)
    yield from _of_length(at, kind, one)


def _of_options(at: str, kind: Any, one: Mapping[str, Any]) -> Iterator[_Found]:
    at = f"{at}/options"
    if kind != "select":
        if "options" in one:
            yield at, "is for a field of type select alone"
        return
    options = one.get("options")
    if not isinstance(options, list | tuple) or not 1 <= len(options) <= MAX_OPTIONS:
        yield at, f"takes a list of 1 to {MAX_OPTIONS} texts"
        return
    for place, option in enumerate(options):
        yield from _of_text(f"{at}/{place}", option, MAX_OPTION, required=True)
        if isinstance(option, str) and option in options[:place]:
            yield f"{at}/{place}", "stands there twice"


def _of_length(at: str, kind: Any, one: Mapping[str, Any]) -> Iterator[_Found]:
    if "max_length" not in one:
        return
    length = one["max_length"]
    if kind in TYPES and kind not in DEFAULT_LENGTHS:
        yield f"{at}/max_length", "is for fields that take a text"
    elif type(length) is not int or not 1 <= length <= MAX_ANSWER:
        yield f"{at}/max_length", f"must be a whole number from 1 to {MAX_ANSWER}"


def _of_copy(copy: Any) -> Iterator[_Found]:
    if not isinstance(copy, Mapping):
        yield "/copy", "must be an object of texts by language"
        return
    if len(copy) > MAX_LOCALES:
        yield "/copy", f"takes at most {MAX_LOCALES} languages"
        return
    tags: set[str] = set()
    for tag, texts in copy.items():
        at = json_pointer("copy", tag)
        if fault := locale_fault(tag):
            yield at, fault
            continue
        if spelt_locale(tag) in tags:
            yield at, f"{spelt_locale(tag)} stands there twice"
        tags.add(spelt_locale(tag))
        if not isinstance(texts, Mapping):
            yield at, "must be an object of texts by key"
        elif len(texts) > MAX_KEYS:
            yield at, f"takes at most {MAX_KEYS} texts"
        else:
            for key, text in texts.items():
                yield from _of_entry(at, key, text)


def _of_entry(at: str, key: str, text: Any) -> Iterator[_Found]:
    if not _NAME.fullmatch(key):
        yield at + json_pointer(key), "must be named by 1 to 64 of a-z, 0-9 and _, a letter first"
    else:
        yield from _of_text(f"{at}/{key}", text, MAX_TEXT)


def _of_template(template: Any) -> Iterator[_Found]:
    if not isinstance(template, str):
        yield "/template", "must be text"
        return
    if len(template.encode("utf-8", "replace")) > MAX_TEMPLATE:
        yield "/template", f"takes at most {MAX_TEMPLATE // 1024} KiB of HTML"
        return
    yield from _of_text("/template", template, MAX_TEMPLATE)
    try:
        compile_template(template, escape=escape_html, raw=False)
    except TemplateRefused as refusal:
        yield "/template", refusal.detail


def _of_assets(assets: Any, asset_ids: bool) -> Iterator[_Found]:
    if not isinstance(assets, Mapping):
        yield "/assets", "must be an object of places by kind"
        return
    for kind, place in assets.items():
        if kind not in ASSET_KINDS:
            yield json_pointer("assets", kind), f"there is no such kind; there are {', '.join(ASSET_KINDS)}"
        elif place is not None and not _is_place(place, asset_ids):
            wanted = "the id of an asset, or " if asset_ids else ""
            yield f"/assets/{kind}", f"must be {wanted}a path such as /beta/bundle/<plugin>/picture.svg"


def _check_filled(document: Document) -> None:
    """Fills the template with the longest text of each key: no language should make it longer."""
    if document.template is None:
        return
    longest: dict[str, str] = {}
    for texts in document.copy.values():
        for key, text in texts.items():
            longest[key] = max(longest.get(key, ""), text, key=lambda one: len(escape_html(one)))
    try:
        compile_template(document.template, escape=escape_html, raw=False).render(longest)
    except TemplateRefused as refusal:
        raise InvalidRequest.at("/template", refusal.detail) from None


def _is_place(place: Any, asset_ids: bool) -> bool:
    if not isinstance(place, str) or len(place) > MAX_LABEL:
        return False
    return bool(_BUNDLED.fullmatch(place) or (asset_ids and _ASSET_ID.fullmatch(place)))


def _of_text(at: str, text: Any, longest: int, *, required: bool = False) -> Iterator[_Found]:
    if not isinstance(text, str):
        yield at, "must be text"
    elif len(text) > longest:
        yield at, f"takes at most {longest:,} characters"
    elif required and not text.strip():
        yield at, "must not be empty"
    elif _UNFIT.search(text):
        yield at, "holds a character that cannot be stored"
