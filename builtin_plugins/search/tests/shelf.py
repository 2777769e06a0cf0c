"""A plugin whose things need no table: who may read one stands in its id."""

from collections.abc import Sequence

from guildhall_sdk import Plugin, SearchSource, Statement, hookimpl

OLD_THINGS = 45


def both(name: str, text: str) -> Statement:
    return Statement(name, text, text)


_OPEN = "(CAST(:by_role AS INTEGER) = 1 AND substr(hit.ref_id, 1, 5) = 'open_')"
_OWN = "substr(hit.ref_id, 1, length(CAST(:user_id AS TEXT))) = CAST(:user_id AS TEXT)"
_NOT_OVER = (
    "(substr(hit.ref_id, 1, 6) = 'until_' AND CAST(:now AS BIGINT) < CAST(substr(hit.ref_id, 7) AS BIGINT))"
)
_OF_COMPANY = "substr(hit.ref_id, 1, 8) = 'company_'"
_EVERY = (
    f"WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {OLD_THINGS}), "
    "things AS (SELECT 'open_old_' || (1000 + n) AS ref_id, org_id, id AS team_id FROM numbers "
    "CROSS JOIN (SELECT org_id, id FROM teams ORDER BY id LIMIT 1) AS first_team) "
    "SELECT ref_id, org_id, team_id, 'Old thing' AS title, 'from before the index' AS text "
    "FROM things WHERE ref_id > :after ORDER BY ref_id LIMIT :limit"
)

READABLE = both("readable", f"SELECT 1 WHERE {_OPEN} OR {_OWN} OR {_NOT_OVER}")
READABLE_IN_ORG = both("readable_in_org", f"SELECT 1 WHERE {_OPEN} OR {_OWN} OR {_NOT_OVER} OR {_OF_COMPANY}")

PLUGIN = Plugin(id="shelf", name="Shelf", version="1.0.0", description="Things", requires=("search",))


@hookimpl
def declare_search_sources() -> Sequence[SearchSource]:
    every = both("every_thing", _EVERY)
    return (SearchSource("thing", "files:read", "/api/things/{id}", READABLE, READABLE_IN_ORG, every=every),)
