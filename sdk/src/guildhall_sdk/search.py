"""What a plugin lets people find."""

from dataclasses import dataclass

from guildhall_sdk.data import Statement


@dataclass(frozen=True, slots=True)
class SearchSource:
    """One type of thing that search finds, and whom it shows it to.

    `readable` is a query of one row or none for the id in `hit.ref_id`, with the binds `:user_id`,
    `:team_id`, `:org_id` and `:now`: a row means that this person may read it. It runs inside the
    search itself, so that pages and counts tell nothing of the rest. `readable_in_org` is the same for
    `scope=org`. `permission` is what the caller's role must hold to be shown any by role alone.
    `url` takes the id: `/api/notes/{id}`.
    """

    type: str
    permission: str
    url: str
    readable: Statement
    readable_in_org: Statement
