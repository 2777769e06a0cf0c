"""Prints the route table of what ships as OpenAPI, from which the console's types are made."""

import json
import sys

from kernel.config import Settings
from kernel.http.openapi import RouteTableDescription
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover


def main() -> None:
    settings = Settings.from_environment({})
    admission = Admission()
    admission.admit_all(discover(settings.plugins))
    document = RouteTableDescription(admission.registry, settings).openapi()
    json.dump(document, sys.stdout, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
