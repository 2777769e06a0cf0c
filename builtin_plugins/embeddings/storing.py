"""Passages as they are stored: cut from a document, written with their vectors, by nobody in particular."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from builtin_plugins.embeddings.models import sql
from builtin_plugins.embeddings.stores import Stores
from builtin_plugins.embeddings.vectors import Space, codes_of, packed
from guildhall_sdk import Credential, Principal, Writer
from guildhall_sdk.services.models import ModelUnavailable
from libs.fair_slots import Steps
from libs.passages import Kind, Passage, kind_of, passages

#: Of one document; what stands behind them is found by words alone.
MAX_PASSAGES = 5_000
_CUT_AT_ONCE = 50
_NAMED = frozenset({"object", "note"})


def says_nothing(type: str, text: str) -> bool:
    """Tells whether there is a name alone, of which no passage is made: a file without text, say."""
    return type in _NAMED and not (text.partition("\n")[2] if type == "object" else text)


def cut_document(type: str, title: str, text: str) -> Steps[list[Passage]]:
    """Cuts a document, a few passages at a step; what has a name alone is a passage by that."""
    kind: Kind = "markdown" if type == "note" else "prose"
    if type == "object":
        name, _, text = text.partition("\n")
        kind = kind_of(name)
    found: list[Passage] = []
    cutting: Iterator[Passage] = passages(text, kind)
    for passage in cutting:
        found.append(passage)
        if len(found) >= MAX_PASSAGES:
            break
        if len(found) % _CUT_AT_ONCE == 0:
            yield
    if not found and type not in _NAMED and title.strip():
        found.append(Passage(title.strip(), 1))
    return found


async def insert_passages(
    writer: Writer,
    stores: Stores,
    space: Space,
    rows: Sequence[Mapping[str, Any]],
    vectors: Sequence[Sequence[float]],
) -> None:
    """Stores passages with their vectors. The caller has the company's place in line."""
    if any(len(vector) != space.dimensions for vector in vectors):
        raise ModelUnavailable(f"The model's vectors have not the {space.dimensions} numbers that they had.")
    centred = space.centred(vectors)
    by_id: dict[int, Sequence[float]] = {}
    numbers = zip(rows, codes_of(centred), packed(centred), centred, strict=True)
    for row, code, vector, of_row in numbers:
        one = await writer.one(sql.insert_passage, **row, space_id=space.id, code=code, vector=vector)
        assert one is not None
        by_id[one["id"]] = of_row
    for team_id, org_id in {(row["team_id"], row["org_id"]) for row in rows}:
        await writer.run(sql.use_space, team_id=team_id, org_id=org_id, space_id=space.id)
    if rows:
        await stores.store.put(writer, rows[0]["org_id"], space.id, by_id)


def working_for(org_id: str, team_id: str) -> Principal:
    """Returns who works for a team: nobody, with no right to anything; in the books it is `background`."""
    return Principal(
        user_id="background",
        username="background",
        display_name="",
        locale="en",
        two_factor=False,
        operator=False,
        team_id=team_id,
        team_name="",
        role="viewer",
        org_id=org_id,
        org_slug="",
        org_name="",
        org_role=None,
        org_suspended=False,
        credential=Credential("background", "background", frozenset(), None),
        permissions=frozenset(),
    )
