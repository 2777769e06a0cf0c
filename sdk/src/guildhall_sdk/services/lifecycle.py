"""How long a team's bucket keeps what was overwritten or deleted: the rules, the same over HTTP and S3."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol

from guildhall_sdk.data import Statement
from guildhall_sdk.hooks import declares

MAX_RULES = 100
MAX_DAYS = 36_500
MAX_KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleRule:
    """A rule for the keys that begin with `prefix`; None is for ever. The newest version always stays."""

    id: str
    enabled: bool = True
    prefix: str = ""
    #: Old versions go so many days after a newer one took their place.
    old_version_days: int | None = None
    #: But for so many of the newest old ones of each object, delete markers not counted.
    keep_old_versions: int = 0
    #: Objects with nothing but delete markers left go.
    empty_markers: bool = False
    #: What was deleted goes so many days later with all its versions, and cannot be brought back any more.
    deleted_days: int | None = None

    @property
    def acts(self) -> bool:
        """Whether the rule throws anything away."""
        return self.old_version_days is not None or self.empty_markers or self.deleted_days is not None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VersionsInUse:
    """A query for the versions that a plugin's rows still need; for `declare_versions_in_use`.

    No lifecycle throws these away. The statement has the binds `:team_id` and `:versions`, a JSON array of
    `[object id, number, version id]`, and returns the column `version_id` of those that are needed. Who
    begins to refer to a version holds it with `Repository.hold_version` in the same transaction.
    """

    #: Small letters and `_`.
    name: str
    statement: Statement


class LifecycleHooks(Protocol):
    """The hook of the plugin `repo` for versions that must stay."""

    @declares(VersionsInUse, label="versions in use", name=attrgetter("name"))
    def declare_versions_in_use(self) -> Sequence[VersionsInUse]:
        """Declares queries for the versions of objects that rows of this plugin still need."""
