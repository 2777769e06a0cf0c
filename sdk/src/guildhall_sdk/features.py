"""Feature flags: what a team can turn off."""

from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature that a team can turn off, named by rows, tools, job kinds and the like in `feature`.

    One that nothing names gates nothing and is not shown. `resource_decides` says that its plugin asks
    `Features.enabled` for it in its own code, and no row has to name it.
    """

    name: str
    description: str
    _: KW_ONLY
    enabled_by_default: bool = True
    resource_decides: bool = False
