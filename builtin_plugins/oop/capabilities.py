"""What a plugin may ask its operator for, and which calls back each of them opens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Capability:
    """`permission` is what the caller of the tool must hold as well."""

    name: str
    description: str
    permission: str
    methods: Sequence[str]


CATALOGUE: Mapping[str, Capability] = {
    one.name: one
    for one in (
        Capability(
            "notes:read",
            "List and read the notes that the caller may read.",
            "notes:read",
            ("notes/list", "notes/read"),
        ),
        Capability(
            "files:read",
            "List the files that the caller may read, and read their text.",
            "files:read",
            ("files/list", "files/read"),
        ),
        Capability(
            "model",
            "Ask a model, metered as the caller's.",
            "chat:use",
            ("model/ask",),
        ),
    )
}

BY_METHOD: Mapping[str, Capability] = {
    method: capability for capability in CATALOGUE.values() for method in capability.methods
}
