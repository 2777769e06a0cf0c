"""The route table, described once and then remembered."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from guildhall_sdk import Permission
from kernel.config import Settings
from kernel.http.openapi import describe
from kernel.registry import Registry


class RouteTableDescription:
    def __init__(self, registry: Registry, settings: Settings) -> None:
        self._registry = registry
        self._settings = settings

    @cached_property
    def _document(self) -> Mapping[str, Any]:
        return describe(
            self._registry.routes(),
            self._settings.version,
            self._settings.base_url,
            self._registry.declared(Permission),
        )

    def openapi(self) -> Mapping[str, Any]:
        return self._document
