"""Names in small letters, as features, search sources and sample content have them."""

import re

from kernel.faults import PluginFault

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def check_name(label: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise PluginFault(f"the {label} {name!r} must be small letters, digits and _")
