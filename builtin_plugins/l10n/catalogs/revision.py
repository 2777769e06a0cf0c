"""The revision of what is served: one number that changes with every text and with the policy."""

from pathlib import Path

from guildhall_sdk import Reader, Writer, load_queries

sql = load_queries(Path(__file__).with_name("queries.sql"))


async def bump(writer: Writer) -> None:
    """Says in this transaction that what is served has changed.

    Who commits it awaits `ServedCatalogs.settle()` before they answer, or lets the reply do it.
    """
    await writer.run(sql.bump_revision)


async def current_revision(reader: Reader) -> int:
    """Returns the revision as committed."""
    return int(await reader.value(sql.revision))
