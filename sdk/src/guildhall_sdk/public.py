"""What is public: the modules that a plugin may import, and the versions of them that a server speaks."""

from guildhall_sdk.plugin import API_VERSION

#: A plugin written for any of these is let in.
OLDEST_API = 1
NEWEST_API = API_VERSION

#: Whatever stands in another module, or begins with an underscore, may change with every release.
MODULES = (
    "guildhall_sdk",
    "guildhall_sdk.blobs",
    "guildhall_sdk.confinement",
    "guildhall_sdk.context",
    "guildhall_sdk.data",
    "guildhall_sdk.deprecation",
    "guildhall_sdk.errors",
    "guildhall_sdk.factories",
    "guildhall_sdk.fair_thread",
    "guildhall_sdk.features",
    "guildhall_sdk.hooks",
    "guildhall_sdk.ids",
    "guildhall_sdk.in_flight",
    "guildhall_sdk.inbox",
    "guildhall_sdk.jobs",
    "guildhall_sdk.loop_turns",
    "guildhall_sdk.metrics",
    "guildhall_sdk.mounts",
    "guildhall_sdk.names",
    "guildhall_sdk.paging",
    "guildhall_sdk.permissions",
    "guildhall_sdk.plugin",
    "guildhall_sdk.principal",
    "guildhall_sdk.public",
    "guildhall_sdk.quotas",
    "guildhall_sdk.replies",
    "guildhall_sdk.routes",
    "guildhall_sdk.samples",
    "guildhall_sdk.schema",
    "guildhall_sdk.search",
    "guildhall_sdk.services",
    "guildhall_sdk.services.audit",
    "guildhall_sdk.services.description",
    "guildhall_sdk.services.executors",
    "guildhall_sdk.services.identity",
    "guildhall_sdk.services.jobs",
    "guildhall_sdk.services.metrics",
    "guildhall_sdk.services.quotas",
    "guildhall_sdk.services.rates",
    "guildhall_sdk.services.readiness",
    "guildhall_sdk.services.repository",
    "guildhall_sdk.services.scratch",
    "guildhall_sdk.services.search",
    "guildhall_sdk.services.stored_objects",
    "guildhall_sdk.services.tenancy",
    "guildhall_sdk.services.toggles",
    "guildhall_sdk.streams",
    "guildhall_sdk.tools",
)
