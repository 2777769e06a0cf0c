"""Model roles: which executor does a kind of work, by the team's choice, the instance's, or none."""

from collections.abc import Mapping

from builtin_plugins.ai.settings import MODEL_ROLES
from guildhall_sdk import Host, Preference, Principal, Reader
from guildhall_sdk.schema import nullable, obj, string
from guildhall_sdk.services.executors import EXECUTOR_NAME_MAX, Executor, Executors
from guildhall_sdk.services.models import MODEL_ROLES as ROLES
from guildhall_sdk.services.models import ModelRole
from guildhall_sdk.services.preferences import Preferences

_executor_name = nullable(string(min_length=1, max_length=EXECUTOR_NAME_MAX))

TEAM_ROLES: Preference[Mapping[str, str | None]] = Preference(
    name="model_roles",
    help="The executor of each role, by name; null leaves it to the instance.",
    schema=obj(dict.fromkeys(ROLES, _executor_name)),
    default=dict.fromkeys(ROLES),
    write_permission="settings:manage",
)


def instance_default(host: Host, role: ModelRole) -> str:
    """The executor that a role has where a team chose none."""
    return host.setting(MODEL_ROLES).get(role, "local")


async def role_executor(host: Host, reader: Reader, principal: Principal, role: ModelRole) -> Executor | None:
    """The team's choice, else the instance's; one that is not there any more is passed over."""
    chosen = await host.service(Preferences).team(reader, principal.team_id, TEAM_ROLES)
    for name in (chosen.get(role), instance_default(host, role)):
        if name is not None:
            found = await host.service(Executors).named(reader, principal.org_id, name)
            if found is not None:
                return found
    return None
