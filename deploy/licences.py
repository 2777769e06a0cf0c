"""Prints the licences of what a server runs with: each package that is needed, as its metadata says."""

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def needed(name: str) -> dict[str, str]:
    """Returns the packages that one needs without its extras, with their licences."""
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one.lower() in found:
            continue
        try:
            package = distribution(one)
        except PackageNotFoundError:
            continue  # of another system
        told = package.metadata
        classifiers = [line for line in told.get_all("Classifier", []) if "License ::" in line]
        named = ", ".join(line.rsplit(" :: ", 1)[-1] for line in classifiers)
        stated = told.get("License-Expression") or named or told.get("License") or "unknown"
        found[one.lower()] = f"{package.version}  {stated.splitlines()[0]}"
        lines = [line for line in package.requires or () if "extra ==" not in line]
        waiting += [match[0] for line in lines if (match := _NAME.match(line))]
    return found


if __name__ == "__main__":
    for name, licence in sorted(needed("guildhall-server").items()):
        sys.stdout.write(f"{name}  {licence}\n")
