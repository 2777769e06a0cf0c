"""A server that tests share, as if nobody had translated anything on it."""

import shutil

from builtin_plugins.l10n.catalogs.served import ServedCatalogs
from guildhall_sdk import Statement

TABLES = ("l10n_history", "l10n_drafts", "l10n_messages", "l10n_progress", "l10n_locales")
EMPTY = [
    *(f"DELETE FROM {table}" for table in TABLES),
    "UPDATE l10n_policy SET revision = revision + 1, default_locale = 'en', switching = 1",
]


async def empty(hall):
    """Forgets the messages, the policy and the files that tests before have left."""
    folder = hall.server.settings.data / "locales"
    if folder.is_file():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    async with hall.server.data.write() as writer:
        for text in EMPTY:
            await writer.run(Statement("empty", text, text))
    await hall.server.service(ServedCatalogs).settle()
