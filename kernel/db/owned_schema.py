"""What the migrations of one owner made, and dropping it for good."""

from collections.abc import Iterator, Sequence

from guildhall_sdk import Reader, Statement, Writer
from kernel.db.migrations import LEDGER_LOCK, sql

# In this order: what stands on something goes before it.
_DROPPED = ("view", "materialized view", "table", "sequence")


async def steps_by_owner(reader: Reader) -> dict[str, int]:
    """Returns the owners that have migrated, with how many of their migrations were applied."""
    return {row["owner"]: row["steps"] for row in await reader.all(sql.steps_by_owner)}


async def objects_of(reader: Reader, owner: str) -> list[tuple[str, str]]:
    """Returns the kinds and names of an owner's tables, views and sequences."""
    return [(row["kind"], row["name"]) for row in await reader.all(sql.objects_of_owner, owner=owner)]


async def drop_schema(writer: Writer, owner: str, objects: Sequence[tuple[str, str]]) -> None:
    """Drops these in the writer's transaction, and forgets that the owner has ever migrated."""
    await writer.serialize(LEDGER_LOCK)
    virtual = {row["name"] for row in await writer.all(sql.virtual_tables)}
    # Tables that refer to each other go in any order; who else refers to one stops the commit.
    await writer.run(sql.defer_keys)
    for statement in _drops(objects, virtual):
        await writer.run(statement)
    await writer.run(sql.forget_objects, owner=owner)
    await writer.run(sql.forget_steps, owner=owner)


def _drops(objects: Sequence[tuple[str, str]], virtual: set[str]) -> Iterator[Statement]:
    """Yields the statements; a virtual table takes its shadows along, a table its sequences."""
    for kind in _DROPPED:
        names = [name for one, name in objects if one == kind]
        names.sort(key=lambda name: name not in virtual)
        each = [f'DROP {kind.upper()} IF EXISTS "{name}"' for name in names]
        # At once: PostgreSQL then minds no reference between them.
        at_once = f"DROP {kind.upper()} IF EXISTS " + ", ".join(f'"{name}"' for name in names)
        for number, text in enumerate(each):
            yield Statement(f"drop_{number}", text, at_once if number == 0 else "SELECT 1")
