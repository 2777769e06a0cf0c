"""Where vectors are compared: the hook for stores, and the one that needs nothing but our own tables."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from builtin_plugins.embeddings.models import sql
from builtin_plugins.embeddings.vectors import Codes, codes_of
from guildhall_sdk import Host, Reader, Setting, Writer
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.search import VectorStore, VectorStoreKind
from guildhall_sdk.settings import whole
from libs.fair_slots import FairThread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PLAIN = "tables"
MEMORY: Setting[int] = Setting(
    name="memory_mb",
    help="megabytes of codes that each process keeps; those of 100,000 passages take 7",
    default=256,
    parse=whole(16, 65_536),
)
# Loaded at once, and compared in one step of the thread.
_ROWS, _STEP = 5_000, 50_000
# Fewer are compared where they are.
_FEW = 50_000
_FIRST, _MORE = 256, 512
_THREAD = FairThread("comparing vectors")


class TableStore:
    """Implements the SDK's `VectorStore`: codes stand with their passages, and are compared in memory."""

    def __init__(self, host: Host) -> None:
        self._limit = host.setting(MEMORY) << 20
        self._kept: OrderedDict[tuple[str, int], Codes] = OrderedDict()
        self._loading: dict[tuple[str, int], asyncio.Lock] = {}

    async def put(
        self, writer: Writer, org_id: str, space: int, vectors: Mapping[int, Sequence[float]]
    ) -> None:
        """Does nothing: a passage is stored with its code."""

    async def remove(self, writer: Writer, org_id: str, ids: Sequence[int]) -> None:
        """Does nothing: a code goes with its passage."""

    async def nearest(
        self, reader: Reader, org_id: str, space: int, vector: Sequence[float], among: Sequence[int] | None
    ) -> AsyncGenerator[Sequence[int], None]:
        import numpy as np

        codes = await self._codes(reader, org_id, space)
        if among is not None:
            codes = codes.codes_at(codes.places(among))
        if not codes.count:
            return
        (code,) = codes_of(np.asarray([vector], dtype=np.float32))
        distances = await _distances(org_id, codes, code)
        if len(distances) <= _FIRST:
            yield codes.ids_at(np.argsort(distances, kind="stable"))
            return
        first = _first(distances)
        yield codes.ids_at(first)
        rest = np.ones(len(distances), dtype=bool)
        rest[first] = False
        order = await _THREAD.run(org_id, _in_order, distances)
        order = order[rest[order]]
        for start in range(0, len(order), _MORE):
            yield codes.ids_at(order[start : start + _MORE])

    def forget(self, org_id: str, space: int) -> None:
        """Drops the codes of a company, of which many are of passages that are gone."""
        self._kept.pop((org_id, space), None)

    async def _codes(self, reader: Reader, org_id: str, space: int) -> Codes:
        key = (org_id, space)
        async with self._loading.setdefault(key, asyncio.Lock()):
            codes = self._kept.pop(key, None) or Codes()
            self._kept[key] = codes
            binds = {"org_id": org_id, "space_id": space}
            more = await reader.one(sql.more_codes, **binds, after=codes.last_id) is not None
            while more:
                rows = await reader.all(sql.codes, **binds, after=codes.last_id, limit=_ROWS)
                if rows:
                    await _THREAD.run(org_id, _add, codes, rows)
                more = len(rows) == _ROWS
        while len(self._kept) > 1 and sum(one.size for one in self._kept.values()) > self._limit:
            gone, _ = self._kept.popitem(last=False)
            self._loading.pop(gone, None)
        return codes


def _add(codes: Codes, rows: Sequence[Any]) -> None:
    codes.add([row["id"] for row in rows], [bytes(row["code"]) for row in rows])


async def _distances(org_id: str, codes: Codes, code: bytes) -> "NDArray[np.uint16]":
    import numpy as np

    count = codes.count
    if count <= _FEW:
        return codes.distances(code, 0, count)
    parts = [
        await _THREAD.run(org_id, codes.distances, code, start, min(count, start + _STEP))
        for start in range(0, count, _STEP)
    ]
    return np.concatenate(parts)


def _first(distances: "NDArray[np.uint16]") -> "NDArray[np.int64]":
    """Returns where the nearest stand; of those that are as far as the last of them, the oldest."""
    import numpy as np

    last = np.partition(distances, _FIRST - 1)[_FIRST - 1]
    nearer = np.flatnonzero(distances < last)
    as_far = np.flatnonzero(distances == last)[: _FIRST - len(nearer)]
    return np.concatenate([nearer, as_far])


def _in_order(distances: "NDArray[np.uint16]") -> "NDArray[np.int64]":
    import numpy as np

    return np.argsort(distances, kind="stable")


async def _nothing_missing(reader: Reader) -> str | None:
    return None


TABLES = VectorStoreKind(name=PLAIN, rank=0, open=TableStore, missing=_nothing_missing)


class Stores:
    """The store that is used, found at the start."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.name = PLAIN
        self.store: VectorStore = TableStore(host)

    async def open(self) -> None:
        found = [*self._host.service(Plugins).owned(VectorStoreKind)]
        for plugin_id, kind in sorted(found, key=lambda one: -one[1].rank):
            async with self._host.data.read() as reader:
                missing = await kind.missing(reader)
            if missing is None:
                if kind is not TABLES:
                    self.name, self.store = kind.name, kind.open(self._host.host_of(plugin_id))
                return


def ids_json(ids: Sequence[int]) -> str:
    return json.dumps([*map(int, ids)])
