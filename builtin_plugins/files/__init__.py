"""Files: those of a folder as answers, for pages and for plugins that serve what they ship."""

from collections.abc import Callable, Mapping
from typing import Any

from builtin_plugins.files.serving import FolderFiles
from guildhall_sdk import Host, Plugin, hookimpl
from guildhall_sdk.services import Files

PLUGIN = Plugin(
    id="files",
    name="Files",
    version="0.1.0",
    description="Serves the files of folders, with conditions, ranges and packed twins.",
    essential=True,
)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Files: lambda _host: FolderFiles()}
