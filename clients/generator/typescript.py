"""The TypeScript client's types and resources, as somebody would write them by hand."""

import json
import re
import textwrap
from collections.abc import Iterable, Sequence

from clients.generator.operations import Operation, Parameter, singular
from clients.generator.shapes import (
    ANYTHING,
    PERMISSION,
    Either,
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
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "any": "unknown",
}
_WIDTH = 118
_SWITCHES = (Literals(("0", "1")), Literals(("1", "0")))


def render(shapes: Shapes, permissions: Sequence[str]) -> dict[str, str]:
    """Returns the text of each file of `src` that is made, by its path."""
    resources = sorted({one.resource for one in shapes.operations})
    with_types = sorted({shape.resource for shape in shapes.by_name.values()})
    files = {f"types/{name}.ts": _types(shapes, name) for name in with_types}
    files["types/permissions.ts"] = _lines(
        "/** The permissions of what ships. */",
        f"export type {PERMISSION} =",
        *(f'  | "{name}"' for name in permissions[:-1]),
        f'  | "{permissions[-1]}";',
    )
    files["types/index.ts"] = _lines(
        "/** What the API answers and takes. */",
        *(f'export type * from "./{name}.js";' for name in sorted([*with_types, "permissions"])),
    )
    files.update({f"resources/{name}.ts": _resource(shapes, name) for name in resources})
    files["resources/index.ts"] = _all_resources(resources)
    return files


def camel(name: str) -> str:
    """Returns a name as methods and members are written."""
    first, *others = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def _pascal(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _lines(*lines: str) -> str:
    return "\n".join([*lines, ""])


def _all_resources(resources: Sequence[str]) -> str:
    lines = ["/** Every resource of the API. */", "", 'import type { Http } from "../http.js";']
    lines += [f'import {{ {_pascal(name)} }} from "./{name}.js";' for name in resources]
    lines += ["", "/** The resources of a client. */", "export class Resources {"]
    lines += [f"  readonly {camel(name)}: {_pascal(name)};" for name in resources]
    lines += ["", "  constructor(protected readonly http: Http) {"]
    lines += [f"    this.{camel(name)} = new {_pascal(name)}(http);" for name in resources]
    return _lines(*lines, "  }", "}")


def _types(shapes: Shapes, resource: str) -> str:
    own = [shape for shape in shapes.by_name.values() if shape.resource == resource]
    used = {name for shape in own for one in shape.fields for name in _named(one.type)}
    lines = [f"/** What the API says about {resource.replace('_', ' ')}. */", ""]
    lines += _type_imports(shapes, used - {shape.name for shape in own}, ".")
    return _lines(*lines, *(line for shape in own for line in _shape(shape)))[:-1]


def _shape(shape: Shape) -> list[str]:
    told = [(one.name, one.type, one.required, one.doc) for one in shape.fields]
    return _interface(shape.name, told)


def _interface(name: str, members: Iterable[tuple[str, Type, bool, str]]) -> list[str]:
    lines = [f"export interface {name} {{"]
    for member, told, required, doc in members:
        lines += _comment([" ".join(doc.split())] if doc else [], "  ")
        written = member if re.fullmatch(r"[A-Za-z_$][\w$]*", member) else json.dumps(member)
        lines += _wrapped(f"  {written}{'' if required else '?'}: {annotation(told)};")
    return [*lines, "}", ""]


def _wrapped(line: str) -> list[str]:
    """Breaks a line that is too long between the alternatives of its type."""
    if len(line) <= _WIDTH or " | " not in line:
        return [line]
    head, _, rest = line.partition(": ")
    parts = rest.removesuffix(";").split(" | ")
    return [f"{head}:", *(f"    | {one}" for one in parts[:-1]), f"    | {parts[-1]};"]


def annotation(told: Type) -> str:
    """Returns the type as TypeScript says it."""
    match told:
        case Named(name):
            return _PLAIN.get(name, name)
        case Literals(values):
            return " | ".join(json.dumps(value) for value in values)
        case Items(of):
            inner = annotation(of)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case Members(of):
            return f"Record<string, {annotation(of)}>"
        case Either(types):
            return " | ".join(annotation(one) for one in types)


def _named(told: Type | None) -> Iterable[str]:
    match told:
        case Named(name) if name not in _PLAIN:
            yield name
        case Items(of) | Members(of):
            yield from _named(of)
        case Either(types):
            for one in types:
                yield from _named(one)


def _type_imports(shapes: Shapes, names: Iterable[str], folder: str) -> list[str]:
    by_module: dict[str, list[str]] = {}
    for name in sorted(names):
        module = "permissions" if name == PERMISSION else shapes.by_name[name].resource
        by_module.setdefault(module, []).append(name)
    lines: list[str] = []
    for module, own in sorted(by_module.items()):
        line = f'import type {{ {", ".join(own)} }} from "{folder}/{module}.js";'
        broken = ["import type {", *(f"  {name}," for name in own), f'}} from "{folder}/{module}.js";']
        lines += [line] if len(line) <= _WIDTH else broken
    return [*lines, ""] if lines else []


def _resource(shapes: Shapes, resource: str) -> str:
    own = [one for one in shapes.operations if one.resource == resource]
    used: set[str] = set()
    methods: list[str] = []
    interfaces: list[str] = []
    for operation in own:
        signature = shapes.of(operation)
        told = (signature.body, signature.item, signature.reply, *(one.type for one in signature.fields))
        used.update(name for one in told for name in _named(one))
        about = f"{_pascal(operation.name)}{_pascal(singular(resource))}"
        where = f"{camel(resource)}.{camel(operation.name)}"
        if signature.fields:
            fields = [(one.name, one.type, one.required, one.doc) for one in signature.fields]
            interfaces += [f"/** The body of `{where}`. */", *_interface(f"{about}Body", fields)]
        if query := _query(operation):
            words = [(name, _query_type(shapes, one), False, one.doc) for one, name in query]
            interfaces += [f"/** The query of `{where}`. */", *_interface(f"{about}Query", words)]
        methods += ["", *_method(operation, signature, about)]
    text = "\n".join(methods)
    lines = [
        f"/** The rows of {resource.replace('_', ' ')}. */",
        "",
        'import type { Http } from "../http.js";',
    ]
    for name, module in (("Download", "downloads"), ("Events", "events"), ("Pages", "paging")):
        if f"new {name}" in text:
            lines.append(f'import {{ {name} }} from "../{module}.js";')
    sent = [name for name in ("segment", "segments") if f"{name}(" in text]
    if sent:
        lines.append(f'import {{ {", ".join(sent)} }} from "../sending.js";')
    lines += _type_imports(shapes, used, "../types")
    lines += ["", *interfaces] if lines[-1] else interfaces
    lines += [f"/** Calls of {resource.replace('_', ' ')}. */", f"export class {_pascal(resource)} {{"]
    return _lines(*lines, "  constructor(private readonly http: Http) {}", *methods, "}")


def _query(operation: Operation) -> list[tuple[Parameter, str]]:
    paged = operation.kind == "pages"
    return [(one, one.name) for one in operation.query if not (paged and one.name == "cursor")]


def _query_type(shapes: Shapes, parameter: Parameter) -> Type:
    told = shapes.query_type(parameter.schema)
    return Named("boolean") if told in _SWITCHES else told


def _method(operation: Operation, signature: Signature, about: str) -> list[str]:
    parameters = [
        f"{_local(one.name)}: {'number' if one.name == 'number' else 'string'}" for one in operation.places
    ]
    options: list[str] = []
    if operation.kind == "upload":
        parameters.append("content: BodyInit")
        options.append("content")
    if signature.body is not None:
        parameters.append(f"body: {annotation(signature.body)}")
        options.append("body")
    elif signature.fields:
        optional = not any(one.required for one in signature.fields)
        parameters.append(f"body: {about}Body{' = {}' if optional else ''}")
        options.append("body")
    if _query(operation):
        parameters.append(f"query: {about}Query = {{}}")
        options.append("query")
    if operation.method == "POST" and not operation.keyed and operation.kind in ("json", "nothing"):
        options.append("keyed: false")
    given = f"{{ {', '.join(options)} }}" if options else ""
    head = f"  {camel(operation.name)}({', '.join(parameters)}): {_returns(operation, signature)} {{"
    if len(head) > _WIDTH:
        listed = [f"    {one}," for one in parameters]
        head = "\n".join(
            [f"  {camel(operation.name)}(", *listed, f"  ): {_returns(operation, signature)} {{"]
        )
    doc = _comment(_told(operation), "  ")
    return [*doc, head, f"    return {_call(operation, given)};", "  }"]


def _told(operation: Operation) -> list[str]:
    text = " ".join(operation.doc.split()).rstrip(".")
    needs = [f"Needs {operation.permission}."] if operation.permission else []
    return [f"{text[:1].upper()}{text[1:]}.", *needs]


def _comment(paragraphs: Sequence[str], indent: str) -> list[str]:
    if not paragraphs:
        return []
    paragraphs = [one.replace("*/", "*\\/") for one in paragraphs]
    if len(paragraphs) == 1 and len(paragraphs[0]) < _WIDTH - 10:
        return [f"{indent}/** {paragraphs[0]} */"]
    lines = [line for one in paragraphs for line in textwrap.wrap(one, _WIDTH - 6)]
    return [f"{indent}/**", *(f"{indent} * {line}" for line in lines), f"{indent} */"]


def _local(name: str) -> str:
    return camel(name)


def _returns(operation: Operation, signature: Signature) -> str:
    match operation.kind:
        case "pages":
            assert signature.item is not None and signature.reply is not None
            return f"Pages<{annotation(signature.item)}, {annotation(signature.reply)}>"
        case "events":
            return "Events"
        case "bytes":
            return "Download"
        case "nothing":
            return "Promise<void>"
        case _:
            return f"Promise<{annotation(signature.reply or ANYTHING)}>"


def _call(operation: Operation, given: str) -> str:
    path = operation.path
    for one in operation.places:
        quoted = "segments" if one.greedy else "segment"
        path = path.replace(f"{{{one.name}}}", f"${{{quoted}({_local(one.name)})}}")
    told = f"`{path}`" if operation.places else f'"{path}"'
    more = f", {given}" if given else ""
    match operation.kind:
        case "pages":
            return f"new Pages(this.http, {told}{', query' if given else ''})"
        case "bytes":
            return f"new Download(this.http, {told}{', query' if given else ''})"
        case "events":
            return f'new Events(this.http, "{operation.method}", {told}{more})'
        case _:
            return f'this.http.call("{operation.method}", {told}{more})'
