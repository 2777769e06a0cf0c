"""The manifest of a plugin."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

API_VERSION = 1


@dataclass(frozen=True, slots=True)
class Plugin:
    """The manifest of a plugin, which its module holds as `PLUGIN`.

    `requires` names plugins that must be there first. `essential` says that an instance must not start
    without this plugin: a fault then stops the boot, where else it puts the plugin in quarantine. Every other
    plugin can be switched off by a team for itself. `kept_folders` names folders below `SERVICE_DATA` whose
    files a backup takes; only what stands directly in one, and no name that begins with a dot. `demo` says
    that it is there to be looked at and learnt from: the console's navigation leaves its pages out.
    """

    id: str
    name: str
    version: str
    description: str
    _: KW_ONLY
    api: int = API_VERSION
    requires: Sequence[str] = ()
    essential: bool = False
    kept_folders: Sequence[str] = ()
    demo: bool = False
