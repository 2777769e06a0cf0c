"""The default page, filled on the server: it stands there whole before any script runs."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from libs.mustache import compile_template, escape_html

FOLDER = Path(__file__).parent
NAMESPACE = "beta"
MAX_POINTS = 6

# A worker from a blob is how the page solves its challenge without a pause.
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-{style}'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src blob:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
# An empty picture: without one, browsers ask for /favicon.ico.
_NO_ICON = "data:,"
_AUTOCOMPLETE = {
    "name": "name",
    "full_name": "name",
    "first_name": "given-name",
    "last_name": "family-name",
    "company": "organization",
    "organization": "organization",
    "role": "organization-title",
    "job_title": "organization-title",
    "phone": "tel",
    "country": "country-name",
}
_TYPED = {"email": "email", "url": "url"}
_UNITS = {"radius": "px"}

_template = compile_template((FOLDER / "index.html").read_text("utf-8"), escape=escape_html, raw=False)


class PageContent(NamedTuple):
    """What is on the page, in one language.

    Of the copy the page shows `title`, `subtitle`, `submit` and `thanks`, and where they are there `brand`,
    `eyebrow`, `point_1_title` and `point_1` up to 6, `form_title`, `form_note`, `privacy`, `thanks_title`,
    `contact` (an address, for who has no script), `hero_alt`, `footer`; for a field `label_<name>`,
    `help_<name>`, `placeholder_<name>`, and for the options of a select `option_<name>_1` and so on.
    """

    locale: str
    direction: str
    copy: Mapping[str, str]
    #: As `GET /api/beta/config` shows them.
    fields: Sequence[Mapping[str, Any]]
    #: Every token with its value.
    theme: Mapping[str, str | int]
    #: The catalog's messages, by whole key: `beta.cancel`.
    messages: Mapping[str, str]
    #: URLs by kind: `logo`, `hero`, `font`.
    assets: Mapping[str, str]
    #: Languages to choose from, as the policy shows them; with fewer than two there is nothing to choose.
    languages: Sequence[Mapping[str, str]] = ()
    brand: str = "Guildhall"
    #: Where those who have an account go; None where the page does not stand in their way.
    sign_in: str | None = None


class RenderedPage(NamedTuple):
    """The page and the policy that goes with it."""

    html: bytes
    csp: str


def render_page(content: PageContent) -> RenderedPage:
    """Returns the default page; nothing of the content is taken for HTML."""
    style = _style(content.theme, content.assets.get("font"))
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    html = _template.render({**_slots(content), "style": style})
    return RenderedPage(html.encode(), _CSP.format(style=digest))


def localized_fields(
    fields: Sequence[Mapping[str, Any]], copy: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yields fields with the label, help and placeholder that the copy has for them."""
    for field in fields:
        name = field["name"]
        texts = {part: copy.get(f"{part}_{name}") for part in ("label", "help", "placeholder")}
        yield {**field, **{part: text for part, text in texts.items() if text}}


def _slots(content: PageContent) -> dict[str, Any]:
    copy, texts = content.copy, own_texts(content.messages)
    brand = copy.get("brand") or content.brand
    current = next((one["name"] for one in content.languages if one["code"] == content.locale), "")
    points = list(_points(copy))
    return {
        **{key: copy.get(key, "") for key in ("title", "subtitle", "eyebrow", "form_note", "footer")},
        "locale": content.locale,
        "dir": content.direction,
        "page_title": f"{copy['title']} · {brand}" if copy.get("title") else brand,
        "theme": content.theme,
        "icon": content.assets.get("logo") or _NO_ICON,
        "texts": json.dumps(texts, ensure_ascii=False, sort_keys=True),
        "brand": brand,
        "logo": content.assets.get("logo"),
        "hero": content.assets.get("hero"),
        "hero_alt": copy.get("hero_alt", ""),
        "skip": texts.get("skip"),
        "sign_in": content.sign_in and {"href": content.sign_in, "text": texts.get("sign_in")},
        "language": texts.get("language"),
        "languages_shown": len(content.languages) > 1,
        "current_language": current or content.locale,
        "languages": [{**one, "current": one["code"] == content.locale} for one in content.languages],
        "points_shown": bool(points),
        "points": points,
        "form_title": copy.get("form_title") or texts.get("form_title"),
        "no_script_title": texts.get("no_script_title"),
        "no_script": texts.get("no_script"),
        "no_script_contact": texts.get("no_script_contact"),
        "contact": copy.get("contact"),
        "optional": texts.get("optional"),
        "choose": texts.get("choose"),
        "work_help": texts.get("work_help"),
        "cancel": texts.get("cancel"),
        "submit": copy.get("submit") or texts.get("submit"),
        "privacy": copy.get("privacy") or texts.get("privacy"),
        "thanks_title": copy.get("thanks_title") or texts.get("thanks_title"),
        "thanks": copy.get("thanks", ""),
        "fields": [_field(one, copy) for one in localized_fields(content.fields, copy)],
    }


def own_texts(messages: Mapping[str, str]) -> dict[str, str]:
    """Returns the messages of the page and its script, without their namespace."""
    prefix = f"{NAMESPACE}."
    return {key.removeprefix(prefix): text for key, text in messages.items() if key.startswith(prefix)}


def _points(copy: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for number in range(1, MAX_POINTS + 1):
        title, text = copy.get(f"point_{number}_title", ""), copy.get(f"point_{number}", "")
        if title or text:
            yield {"title": title, "text": text}


def _field(field: Mapping[str, Any], copy: Mapping[str, str]) -> dict[str, Any]:
    name, kind = field["name"], field["type"]
    options = enumerate(field.get("options", ()), 1)
    # Every name is there, so that none is looked for around the field: `required` of what?
    return {
        "name": name,
        "type": kind,
        "label": field["label"],
        "required": bool(field.get("required")),
        "length": field.get("max_length"),
        "help": field.get("help"),
        "placeholder": field.get("placeholder"),
        "autocomplete": _TYPED.get(kind) or _AUTOCOMPLETE.get(name),
        "described_by": f"help-{name} error-{name}" if field.get("help") else f"error-{name}",
        "input": kind in ("text", "email", "url"),
        "textarea": kind == "textarea",
        "select": kind == "select",
        "checkbox": kind == "checkbox",
        "options": [
            {"value": option, "label": copy.get(f"option_{name}_{number}") or option}
            for number, option in options
        ],
    }


def _style(theme: Mapping[str, str | int], font: str | None) -> str:
    """Returns the theme as CSS; its values were checked, and are colours and a number."""
    light = {token: value for token, value in theme.items() if not token.startswith("dark-")}
    dark = {token.removeprefix("dark-"): value for token, value in theme.items() if token.startswith("dark-")}
    rules = f":root{{{_declarations(light)}}}"
    rules += f"@media(prefers-color-scheme:dark){{:root{{{_declarations(dark)}}}}}"
    if font:
        rules += f"@font-face{{font-family:own;src:url({font});font-display:swap}}:root{{--font:own}}"
    return rules


def _declarations(values: Mapping[str, str | int]) -> str:
    return ";".join(f"--{name}:{value}{_UNITS.get(name, '')}" for name, value in values.items())
