"""Paths that belong to Guildhall itself, whether or not a plugin of this server answers there."""

_WORDS_BELOW_API = """
    2fa activate admin agent ai audit beta bootstrap branding config doc-triggers docs documents
    executors features glossary i18n instance jobs kg l10n login logout mcp members metrics
    model-roles notes oop openapi.json org orgs password plugins profile provision quota repo
    repo-obj runs s3 search sessions share-targets tokens tools translate ui usage whoami workers
    workflows x
"""
_WORDS = "activate api beta beta-sdk.js frame health index.html login ready"

#: A plugin that does not ship with Guildhall declares no row below these.
RESERVED_PREFIXES = frozenset(
    {
        "/",
        *(f"/{word}" for word in _WORDS.split()),
        *(f"/api/{word}" for word in _WORDS_BELOW_API.split()),
    }
)


def prefix_of(path: str) -> str:
    """Returns the first word of a path, or the first two where the first is `api`."""
    segments = path.split("/")[1:]
    return "/" + "/".join(segments[: 2 if segments[0] == "api" else 1])
