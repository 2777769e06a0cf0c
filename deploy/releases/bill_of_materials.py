"""The bill of materials of a release, as CycloneDX 1.6 in JSON: of the server and of the console's pages."""

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from deploy.releases.licences import Package, needed

#: The extras that the server itself uses; what only its tests need is not shipped.
_EXTRAS = frozenset({"fast", "keyring", "mcp", "otel", "semantic"})
_DIGESTS = {"sha512": "SHA-512", "sha384": "SHA-384", "sha256": "SHA-256"}
_SERVER = "guildhall-server"


def bill_of_materials(root: Path, version: str, epoch: int) -> str:
    """Returns the document; the same sources and packages give the same bytes."""
    packages = needed(_SERVER, _EXTRAS)
    pages = _console_packages(json.loads((root / "console/package-lock.json").read_text("utf-8")))
    server = _reference("pypi", _SERVER, version)
    console = _reference("npm", "guildhall-console", version)
    python = {package.name: _reference("pypi", package.name, package.version) for package in packages}
    python[_SERVER] = server
    graph = {python[one.name]: [python[need] for need in one.needs if need in python] for one in packages}
    graph[server] = [*graph.get(server, []), console]
    graph[console] = [page["bom-ref"] for page in pages if page.pop("direct")]
    document: dict[str, Any] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": _component("application", "pypi", _SERVER, version)
            | {"licenses": [{"expression": "Apache-2.0"}]},
        },
        "components": sorted(
            [
                *(_python_component(one) for one in packages if one.name != _SERVER),
                _component("application", "npm", "guildhall-console", version)
                | {"licenses": [{"expression": "Apache-2.0"}]},
                *pages,
            ],
            key=lambda one: str(one["bom-ref"]),
        ),
        "dependencies": [{"ref": ref, "dependsOn": sorted({*needs})} for ref, needs in sorted(graph.items())],
    }
    content = json.dumps(document, indent=1, sort_keys=True)
    document["serialNumber"] = f"urn:uuid:{uuid5(NAMESPACE_URL, content)}"
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _python_component(package: Package) -> dict[str, Any]:
    licence = (
        {"expression": package.licence} if package.is_expression else {"license": {"name": package.licence}}
    )
    return _component("library", "pypi", package.name, package.version) | {
        "licenses": [licence],
        "scope": "optional" if package.optional else "required",
    }


def _console_packages(lock: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns what is built into the pages; `direct` are those that the console names itself."""
    named = {*lock["packages"][""].get("dependencies", ())}
    found: dict[str, dict[str, Any]] = {}
    for place, package in lock["packages"].items():
        name = place.rpartition("node_modules/")[2]
        if not name or package.get("dev") or package.get("optional") or package.get("link"):
            continue
        component = _component("library", "npm", name, package["version"])
        component["licenses"] = [{"expression": package["license"]}] if "license" in package else []
        kind, _, digest = package.get("integrity", "").partition("-")
        if kind in _DIGESTS:
            component["hashes"] = [{"alg": _DIGESTS[kind], "content": base64.b64decode(digest).hex()}]
        component["direct"] = name in named and place == f"node_modules/{name}"
        found.setdefault(component["bom-ref"], component)
    return [*found.values()]


def _component(kind: str, system: str, name: str, version: str) -> dict[str, Any]:
    reference = _reference(system, name, version)
    return {"type": kind, "bom-ref": reference, "purl": reference, "name": name, "version": version}


def _reference(system: str, name: str, version: str) -> str:
    return f"pkg:{system}/{name.replace('@', '%40')}@{version}"
