"""The attributes of people and groups as SCIM describes them, and what of a document is taken."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.scim.answers import invalid_value

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
MAX_TEXT = 1024
MAX_NAME = 256
#: Of one attribute of a person, and of the members that one request names.
MAX_VALUES = 100
MAX_MEMBERS = 5000

Document = dict[str, Any]


class Attribute(NamedTuple):
    """An attribute as `/Schemas` lists it."""

    name: str
    type: str = "string"
    multi: bool = False
    required: bool = False
    read_only: bool = False
    immutable: bool = False
    exact: bool = False
    unique: bool = False
    subs: Sequence["Attribute"] = ()
    words: Sequence[str] = ()
    refers_to: Sequence[str] = ()

    def described(self) -> Document:
        """Returns the attribute as a schema shows it."""
        shown: Document = {
            "name": self.name,
            "type": self.type,
            "multiValued": self.multi,
            "description": self.name,
            "required": self.required,
            "mutability": "readOnly" if self.read_only else "immutable" if self.immutable else "readWrite",
            "returned": "default",
        }
        if self.type not in ("boolean", "complex"):
            shown |= {"caseExact": self.exact, "uniqueness": "server" if self.unique else "none"}
        if self.words:
            shown["canonicalValues"] = list(self.words)
        if self.refers_to:
            shown["referenceTypes"] = list(self.refers_to)
        if self.subs:
            shown["subAttributes"] = [sub.described() for sub in self.subs]
        return shown


def _texts(*names: str) -> Sequence[Attribute]:
    return [Attribute(name) for name in names]


def _values(name: str, *words: str) -> Attribute:
    subs = [
        Attribute("value"),
        Attribute("display"),
        Attribute("type", words=words),
        Attribute("primary", "boolean"),
    ]
    return Attribute(name, "complex", multi=True, subs=subs)


_NAMES = (
    "formatted",
    "familyName",
    "givenName",
    "middleName",
    "honorificPrefix",
    "honorificSuffix",
)
_GROUPS = [
    Attribute("value", read_only=True, exact=True),
    Attribute("$ref", "reference", read_only=True, exact=True, refers_to=["Group"]),
    Attribute("display", read_only=True),
    Attribute("type", read_only=True, words=["direct"]),
]
_PHONES = ("work", "home", "mobile", "fax", "pager", "other")
USER_ATTRIBUTES = (
    Attribute("userName", required=True, unique=True),
    Attribute("name", "complex", subs=_texts(*_NAMES)),
    *_texts("displayName", "nickName"),
    Attribute("profileUrl", "reference", exact=True, refers_to=["external"]),
    *_texts("title", "userType"),
    *_texts("preferredLanguage", "locale", "timezone"),
    Attribute("active", "boolean"),
    _values("emails", "work", "home", "other"),
    _values("phoneNumbers", *_PHONES),
    Attribute("groups", "complex", multi=True, read_only=True, subs=_GROUPS),
)
_MANAGER = [
    Attribute("value", exact=True),
    Attribute("$ref", "reference", exact=True, refers_to=["User"]),
    Attribute("displayName", read_only=True),
]
ENTERPRISE_ATTRIBUTES = (
    *_texts("employeeNumber", "costCenter", "organization", "division", "department"),
    Attribute("manager", "complex", subs=_MANAGER),
)
_MEMBERS = [
    Attribute("value", immutable=True, exact=True),
    Attribute("$ref", "reference", immutable=True, exact=True, refers_to=["User"]),
    Attribute("type", immutable=True, words=["User"]),
]
GROUP_ATTRIBUTES = (
    Attribute("displayName", required=True, unique=True),
    Attribute("members", "complex", multi=True, subs=_MEMBERS),
)
COMMON = (Attribute("externalId", exact=True),)


class Kind(NamedTuple):
    """What a document can be: a person or a group, with the extensions of each."""

    name: str
    endpoint: str
    schema: str
    attributes: Sequence[Attribute]
    extensions: Mapping[str, Sequence[Attribute]]

    def attribute(self, name: str) -> Attribute | None:
        """Returns an attribute of the main schema by name, whatever its case."""
        return _named((*COMMON, *self.attributes), name)

    def extension(self, urn: str) -> str | None:
        """Returns the URN of an extension as it is written, whatever the case of the one given."""
        return next((known for known in self.extensions if known.lower() == urn.lower()), None)


USERS = Kind("User", "/Users", USER, USER_ATTRIBUTES, {ENTERPRISE: ENTERPRISE_ATTRIBUTES})
GROUPS = Kind("Group", "/Groups", GROUP, GROUP_ATTRIBUTES, {})
KINDS = (USERS, GROUPS)


def _named(attributes: Sequence[Attribute], name: str) -> Attribute | None:
    small = name.lower()
    return next((one for one in attributes if one.name.lower() == small), None)


def sub_attribute(attribute: Attribute, name: str) -> Attribute | None:
    """Returns a part of a complex attribute by name, whatever its case."""
    return _named(attribute.subs, name)


def extension_attribute(kind: Kind, urn: str, name: str) -> Attribute | None:
    return _named(kind.extensions[urn], name)


def taken(kind: Kind, given: Any) -> Document:
    """Returns what of a document is taken: known attributes that can be written, in their own spelling.

    Others are left out, and so is what is null or empty. Raises `InvalidRequest` `invalid_value`.
    """
    if not isinstance(given, Mapping):
        raise invalid_value("The body is a JSON object.")
    document: Document = {}
    for name, value in given.items():
        if (urn := kind.extension(name)) is not None:
            document |= _extension(kind, urn, value)
        elif (attribute := kind.attribute(name)) is not None and not attribute.read_only:
            put(document, attribute, value)
    return document


def _extension(kind: Kind, urn: str, value: Any) -> Document:
    if not isinstance(value, Mapping):
        raise invalid_value(f"{urn} is a JSON object.")
    inner: Document = {}
    for name, one in value.items():
        attribute = extension_attribute(kind, urn, name)
        if attribute is not None and not attribute.read_only:
            put(inner, attribute, one)
    return {urn: inner} if inner else {}


def put(document: Document, attribute: Attribute, value: Any) -> None:
    """Sets an attribute of a document, or takes it away where the value is null or empty."""
    checked = value_of(attribute, value)
    if checked is None or checked in ([], {}, ""):
        document.pop(attribute.name, None)
    else:
        document[attribute.name] = checked


def value_of(attribute: Attribute, value: Any) -> Any:
    """Returns a value as it is stored; raises `InvalidRequest` `invalid_value` for one of another type."""
    if value is None:
        return None
    if not attribute.multi:
        return _single(attribute, value)
    most = MAX_MEMBERS if attribute.name == "members" else MAX_VALUES
    values = value if isinstance(value, list) else [value]
    if len(values) > most:
        raise invalid_value(f"{attribute.name} takes {most} values at a time; send the rest by PATCH.")
    items = [item for item in (_single(attribute, one) for one in values) if item]
    if sum(item.get("primary") is True for item in items) > 1:
        raise invalid_value(f"Only one of {attribute.name} can be primary.")
    return items


def _single(attribute: Attribute, value: Any) -> Any:
    if attribute.type == "complex":
        if not isinstance(value, Mapping):
            raise invalid_value(f"{attribute.name} is made of JSON objects.")
        return dict(_parts(attribute, value))
    if attribute.type == "boolean":
        return _boolean(attribute, value)
    most = MAX_NAME if attribute.required else MAX_TEXT
    if not isinstance(value, str) or len(value) > most or "\0" in value or not _encodes(value):
        raise invalid_value(f"{attribute.name} is a text of at most {most} characters.")
    return value


def _encodes(text: str) -> bool:
    """Tells whether a text has no half of a surrogate pair, which no database takes."""
    return text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text)


def _parts(attribute: Attribute, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, one in value.items():
        part = sub_attribute(attribute, name)
        if part is None or part.read_only or one is None or one == "":
            continue
        yield part.name, _single(part, one)


def _boolean(attribute: Attribute, value: Any) -> bool:
    # Some directories send the word.
    words = {"true": True, "false": False}
    found = value if isinstance(value, bool) else words.get(value.lower()) if isinstance(value, str) else None
    if found is None:
        raise invalid_value(f"{attribute.name} is true or false.")
    return found
