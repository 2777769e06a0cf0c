"""Every feature that ships with Guildhall, one package each."""

#: Without these there is no server: a fault in one stops the boot, even before its manifest can be read.
ESSENTIAL = frozenset(
    {
        "admin",
        "audit",
        "blobs",
        "companies",
        "console",
        "files",
        "identity",
        "jobs",
        "metrics",
        "operations",
        "preferences",
        "processes",
        "quotas",
        "repo",
        "search",
        "tools",
    }
)
