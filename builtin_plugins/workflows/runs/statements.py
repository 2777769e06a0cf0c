"""The named statements of runs."""

from dataclasses import replace
from pathlib import Path

from guildhall_sdk import load_queries
from guildhall_sdk.data import Queries

_HERE = Path(__file__)

#: Those that move runs on.
sql = load_queries(_HERE.with_name("queries.sql"))
# Which are quick while a handful of runs is moved, with short texts.
_FEW = 4
_SHORT = 8 * 1024
_few_sql = Queries({one.name: replace(one, quick=True) for one in sql})
#: Those of the items of maps.
map_sql = load_queries(_HERE.with_name("maps.sql"))
#: Those that look at runs.
store_sql = load_queries(_HERE.with_name("store.sql"))
#: Those that take over what an earlier run did.
retrying_sql = load_queries(_HERE.with_name("retrying.sql"))
#: Those that find runs which nothing moves.
sweeping_sql = load_queries(_HERE.with_name("sweeping.sql"))


def sql_for(many: int, *, length: int = 0) -> Queries:
    """Returns the statements that move so many runs on, with texts of this length in all."""
    return _few_sql if many <= _FEW and length <= _SHORT else sql
