"""Prints the route table of what ships as OpenAPI, from which the console's types are made."""

import json
import sys

from builtin_plugins.api_docs.openapi import describe
from guildhall_sdk import Permission
from kernel.config import Settings
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover


def main() -> None:
    settings = Settings.from_environment({})
    admission = Admission(discover(settings.plugins))
    registry = admission.registry
    permissions = registry.declared(Permission)
    document = describe(registry.route_table(), settings.version, settings.base_url, permissions)
    json.dump(document, sys.stdout, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
