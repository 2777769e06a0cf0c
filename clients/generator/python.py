"""The Python client's types and resources, as somebody would write them by hand."""

import keyword
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clients.generator.operations import Operation, Parameter
from clients.generator.shapes import (
    ANYTHING,
    PERMISSION,
    Either,
    Field,
    Items,
    Literals,
    Members,
    Named,
    Shape,
    Shapes,
    Signature,
    Type,
)

_PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "any": "Any",
}
_WIDTH = 100


def render(shapes: Shapes, document: Mapping[str, Any]) -> dict[str, str]:
    """Returns the text of each file of the package by its path, of the asynchronous half."""
    resources = sorted({one.resource for one in shapes.operations})
    files = {f"types/{name}.py": _types(shapes, name) for name in _resources_with_types(shapes)}
    files["types/permissions.py"] = _permissions(document)
    files["types/__init__.py"] = _all_types(shapes)
    for name in resources:
        files[f"asynchronous/resources/{name}.py"] = _resource(shapes, name)
    files["asynchronous/resources/__init__.py"] = _all_resources(resources)
    return files


def class_name(resource: str) -> str:
    """Returns the name of a resource's class, without what says that it is asynchronous."""
    return "".join(word.capitalize() for word in resource.split("_"))


def _all_resources(resources: Sequence[str]) -> str:
    package = "guildhall_client.asynchronous.resources"
    imports = [f"from {package}.{name} import Async{class_name(name)}" for name in resources]
    lines = ['"""Every resource of the API."""', "", "from functools import cached_property", ""]
    lines += ["from guildhall_client.asynchronous.api import AsyncApi", *imports, "", ""]
    lines += [
        "class AsyncResources:",
        '    """The resources of a client, each made when it is first used."""',
    ]
    lines += ["", "    _api: AsyncApi", ""]
    for name in resources:
        lines += ["    @cached_property", f"    def {name}(self) -> Async{class_name(name)}:"]
        lines += [f"        return Async{class_name(name)}(self._api)", ""]
    return "\n".join(lines)


def _resources_with_types(shapes: Shapes) -> list[str]:
    return sorted({shape.resource for shape in shapes.by_name.values()})


def _all_types(shapes: Shapes) -> str:
    modules = sorted([*_resources_with_types(shapes), "permissions"])
    imports = [f"from guildhall_client.types.{module} import *  # noqa: F403" for module in modules]
    return "\n".join(['"""What the API answers and takes, as typed dictionaries."""', "", *imports, ""])


def _permissions(document: Mapping[str, Any]) -> str:
    told = document["components"]["schemas"][PERMISSION].get("oneOf", ())
    names = ", ".join(repr(one["const"]) for one in told)
    head = '"""The permissions of what ships."""\n\nfrom typing import Literal\n\n'
    return f'{head}{PERMISSION} = Literal[{names}]\n\n__all__ = ["{PERMISSION}"]\n'


def _types(shapes: Shapes, resource: str) -> str:
    own = [shape for shape in shapes.by_name.values() if shape.resource == resource]
    body = [line for shape in own for line in _shape(shape)]
    text = "\n".join(body)
    used = {name for shape in own for one in shape.fields for name in _named(one.type)}
    lines = [f'"""What the API says about {resource.replace("_", " ")}."""', ""]
    lines += _standard_imports(text)
    lines += _type_imports(shapes, used - {shape.name for shape in own})
    names = ", ".join(repr(shape.name) for shape in sorted(own, key=lambda one: one.name))
    return "\n".join([*lines, "", "", text, f"__all__ = [{names}]", ""])


def _shape(shape: Shape) -> list[str]:
    fields = [(one, _field(one, sent=shape.sent)) for one in shape.fields]
    if all(one.name.isidentifier() and not keyword.iskeyword(one.name) for one, _ in fields):
        lines = [f"class {shape.name}(TypedDict):"]
        for one, told in fields:
            lines += [*_comment(one.doc, "    "), f"    {one.name}: {told}"]
        return [*lines, *([] if fields else ["    pass"]), "", ""]
    lines = [f"{shape.name} = TypedDict(", f'    "{shape.name}",', "    {"]
    for one, told in fields:
        lines += [*_comment(one.doc, "        "), f'        "{one.name}": {told},']
    return [*lines, "    },", ")", "", ""]


def _comment(text: str, indent: str) -> list[str]:
    told = " ".join(text.split())
    return [f"{indent}#: {line}" for line in textwrap.wrap(told, _WIDTH - len(indent))]


def _field(told: Field, *, sent: bool) -> str:
    written = annotation(told.type, sent=sent)
    return written if told.required else f"NotRequired[{written}]"


def annotation(told: Type, *, sent: bool = False) -> str:
    """Returns the type as Python says it; what is sent may be any sequence and mapping."""
    match told:
        case Named(name):
            return _PLAIN.get(name, name)
        case Literals(values):
            return f"Literal[{', '.join(map(repr, values))}]"
        case Items(of):
            return f"{'Sequence' if sent else 'list'}[{annotation(of, sent=sent)}]"
        case Members(of):
            return f"{'Mapping' if sent else 'dict'}[str, {annotation(of, sent=sent)}]"
        case Either(types):
            return " | ".join(annotation(one, sent=sent) for one in types)


def _named(told: Type | None) -> Iterable[str]:
    match told:
        case Named(name) if name not in _PLAIN:
            yield name
        case Items(of) | Members(of):
            yield from _named(of)
        case Either(types):
            for one in types:
                yield from _named(one)


def _standard_imports(text: str) -> list[str]:
    abstract = [name for name in ("Mapping", "Sequence") if f"{name}[" in text]
    typing = [name for name in ("Any", "Literal", "NotRequired", "TypedDict") if _uses(text, name)]
    lines = [f"from collections.abc import {', '.join(abstract)}"] if abstract else []
    return [*lines, *([f"from typing import {', '.join(typing)}"] if typing else []), ""]


def _uses(text: str, name: str) -> bool:
    return any(f"{before}{name}{after}" in text for before in "( [" for after in ",)[] :\n")


def _type_imports(shapes: Shapes, names: Iterable[str]) -> list[str]:
    by_module: dict[str, list[str]] = {}
    for name in sorted(names):
        module = "permissions" if name == PERMISSION else shapes.by_name[name].resource
        by_module.setdefault(module, []).append(name)
    return [
        f"from guildhall_client.types.{module} import {', '.join(own)}"
        for module, own in sorted(by_module.items())
    ]


def _resource(shapes: Shapes, resource: str) -> str:
    own = [one for one in shapes.operations if one.resource == resource]
    # A method called `list` is the last: in the class its name means the method from there on.
    own.sort(key=lambda one: (one.name == "list", one.name))
    used: set[str] = set()
    body: list[str] = []
    for operation in own:
        signature = shapes.of(operation)
        told = (signature.body, signature.item, signature.reply, *(one.type for one in signature.fields))
        used.update(name for one in told for name in _named(one))
        body += _method(shapes, operation, signature)
    text = "\n".join(body)
    title = resource.replace("_", " ")
    imports = [*_standard_imports(text), "from guildhall_client.asynchronous.api import AsyncApi"]
    for name, module in _OWN:
        if re.search(rf"\b{name}\b", text):
            imports.append(f"from guildhall_client.{module} import {name}")
    sent = [name for name in ("OMITTED", "Omitted", "segment", "segments") if name in text]
    if sent:
        imports.append(f"from guildhall_client.sending import {', '.join(sent)}")
    imports += _type_imports(shapes, used)
    head = [f'"""The rows of {title}."""', "", *imports, "", "", f"class Async{class_name(resource)}:"]
    head += [f'    """Calls of {title}."""', "", "    def __init__(self, api: AsyncApi) -> None:"]
    return "\n".join([*head, "        self._api = api", "", text])


_OWN = (
    ("AsyncDownload", "asynchronous.downloads"),
    ("AsyncEvents", "asynchronous.events"),
    ("AsyncPages", "asynchronous.paging"),
    ("Source", "uploads"),
)


def _method(shapes: Shapes, operation: Operation, signature: Signature) -> list[str]:
    names = _Names(operation, signature)
    returns = _returns(operation, signature)
    waits = operation.kind in ("json", "nothing", "upload")
    head = f"    {'async ' if waits else ''}def {operation.name}({', '.join(_parameters(shapes, names))})"
    lines = [f"{head} -> {returns}:", *_docstring(operation, names)]
    call = _call(operation, signature, names)
    if operation.kind in ("json", "upload"):
        return [*lines, f"        reply: {returns} = {call}", "        return reply", ""]
    return [*lines, f"        {'return ' if operation.kind != 'nothing' else ''}{call}", ""]


class _Names:
    """What the parameters of a method are called; two of one name differ by what they belong to."""

    def __init__(self, operation: Operation, signature: Signature) -> None:
        self.operation, self.signature = operation, signature
        self._taken = {"self"}
        self.places = [(one, self._free(one.name)) for one in operation.places]
        self.fields = [(one, self._free(one.name)) for one in signature.fields]
        paged = operation.kind == "pages"
        self.query = [
            (one, self._free("page_size" if paged and one.name == "limit" else one.name))
            for one in operation.query
            if not (paged and one.name == "cursor")
        ]

    def _free(self, name: str) -> str:
        plain = name.replace("-", "_")
        if keyword.iskeyword(plain) or plain in self._taken or plain == "list":
            plain += "_"
        self._taken.add(plain)
        return plain


def _parameters(shapes: Shapes, names: _Names) -> list[str]:
    operation, signature = names.operation, names.signature
    parts = ["self", *(f"{name}: {_place_type(one)}" for one, name in names.places)]
    if operation.kind == "upload":
        parts.append("source: Source")
    if signature.body is not None:
        parts.append(f"body: {annotation(signature.body, sent=True)}")
    options = [f"{name}: {annotation(one.type, sent=True)}" for one, name in names.fields if one.required]
    for one, name in names.fields:
        if not one.required:
            options.append(f"{name}: {_or_omitted(annotation(one.type, sent=True))} = OMITTED")
    for told_query, name in names.query:
        options.append(f"{name}: {_query_type(shapes, told_query)} | None = None")
    if operation.kind == "upload":
        options.append("content_type: str | None = None")
    return [*parts, "*", *options] if options else parts


def _or_omitted(told: str) -> str:
    if told == "Any":
        return told
    return f"{told.removesuffix(' | None')} | Omitted{' | None' if told.endswith(' | None') else ''}"


def _place_type(place: Parameter) -> str:
    return "int" if place.name == "number" else "str"


def _query_type(shapes: Shapes, parameter: Parameter) -> str:
    told = shapes.query_type(parameter.schema)
    if told == Literals(("0", "1")) or told == Literals(("1", "0")):
        return "bool"
    return annotation(told, sent=True)


def _docstring(operation: Operation, names: _Names) -> list[str]:
    text = " ".join(operation.doc.split()).rstrip(".")
    first = f"{text[:1].upper()}{text[1:]}."
    if not first.isascii():
        first = first.replace("\u2019", "'")
    wrapped = textwrap.wrap(first, _WIDTH - 11)
    told = [(one.doc, name) for one, name in names.fields] + [(one.doc, name) for one, name in names.query]
    notes = [f"`{name}`: {' '.join(doc.split())}" for doc, name in told if doc]
    notes = [note for note in notes if not note.startswith("`page_size`")]
    needs = [f"Needs {operation.permission}."] if operation.permission else []
    lines = wrapped[1:] + ([""] if notes or needs else [])
    for note in [*notes, *needs]:
        lines += textwrap.wrap(note, _WIDTH - 8, subsequent_indent="    ")
    if not lines:
        return [f'        """{wrapped[0]}"""']
    return [f'        """{wrapped[0]}', *(f"        {line}" if line else "" for line in lines), '        """']


def _returns(operation: Operation, signature: Signature) -> str:
    match operation.kind:
        case "pages":
            assert signature.item is not None and signature.reply is not None
            return f"AsyncPages[{annotation(signature.item)}, {annotation(signature.reply)}]"
        case "events":
            return "AsyncEvents"
        case "bytes":
            return "AsyncDownload"
        case "nothing":
            return "None"
        case _:
            return annotation(signature.reply or ANYTHING)


def _call(operation: Operation, signature: Signature, names: _Names) -> str:
    arguments = [_path(names)]
    query = [f'"{one.name}": {name}' for one, name in names.query]
    fields = [f'"{one.name}": {name}' for one, name in names.fields]
    if query:
        arguments.append(f"query={{{', '.join(query)}}}")
    if signature.body is not None:
        arguments.append("body=body")
    elif fields:
        arguments.append(f"fields={{{', '.join(fields)}}}")
    match operation.kind:
        case "pages":
            return f"AsyncPages(self._api, {', '.join(arguments)})"
        case "events":
            return f'AsyncEvents(self._api, "{operation.method}", {", ".join(arguments)})'
        case "bytes":
            return f"AsyncDownload(self._api, {', '.join(arguments)})"
        case "upload":
            told = ", ".join([arguments[0], "source", "content_type", *arguments[1:]])
            return f'await self._api.upload("{operation.method}", {told})'
    if operation.method == "POST" and not operation.keyed:
        arguments.append("keyed=False")
    return f'await self._api.call("{operation.method}", {", ".join(arguments)})'


def _path(names: _Names) -> str:
    path = names.operation.path
    for one, name in names.places:
        quoted = "segments" if one.greedy else "segment"
        path = path.replace(f"{{{one.name}}}", f"{{{quoted}({name})}}")
    return f'{"f" if names.places else ""}"{path}"'
