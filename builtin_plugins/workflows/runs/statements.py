"""The named statements of runs."""

from pathlib import Path

from guildhall_sdk import load_queries

_HERE = Path(__file__)

#: Those that move runs on.
sql = load_queries(_HERE.with_name("queries.sql"))
#: Those of the items of maps.
map_sql = load_queries(_HERE.with_name("maps.sql"))
#: Those that look at runs.
store_sql = load_queries(_HERE.with_name("store.sql"))
#: Those that take over what an earlier run did.
retrying_sql = load_queries(_HERE.with_name("retrying.sql"))
#: Those that find runs which nothing moves.
sweeping_sql = load_queries(_HERE.with_name("sweeping.sql"))
