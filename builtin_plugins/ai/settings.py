"""What an operator decides about models, and which executor has which role."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_sdk import Host, Preference, Principal, Reader, Setting
from guildhall_sdk.schema import nullable, obj, string
from guildhall_sdk.services.models import EXECUTOR_NAME_MAX, Executor, Executors, ModelRole
from guildhall_sdk.services.models import MODEL_ROLES as ROLES
from guildhall_sdk.settings import Preferences, boolean, json_value


def roles(given: str) -> Mapping[str, str]:
    """Returns the executor of each role, by name."""
    found = json_value(given)
    if not isinstance(found, dict) or not all(isinstance(name, str) and name for name in found.values()):
        raise ValueError('takes JSON: {"utility": "<executor name>"}')
    for role in found:
        if role not in ROLES:
            raise ValueError(f"there is no role {role!r}; there is {', '.join(ROLES)}")
    return found


MODEL_ROLES: Setting[Mapping[str, str]] = Setting(
    name="model_roles",
    variable="SERVICE_MODEL_ROLES",
    help="the executor of each role, as JSON",
    default={},
    parse=roles,
)
IMAGE_URLS: Setting[bool] = Setting(
    name="ai_image_urls",
    variable="SERVICE_AI_IMAGE_URLS",
    help="let prompts name pictures by address, which the model's server fetches, 1 or 0",
    default=False,
    parse=boolean,
)
SAMPLE_USAGE: Setting[bool] = Setting(
    name="sample_usage",
    variable="SERVICE_SAMPLE_USAGE",
    help="let sample content have a month of usage that nobody had, 1 or 0",
    default=False,
    parse=boolean,
)
SETTINGS: Sequence[Setting[Any]] = (MODEL_ROLES, IMAGE_URLS, SAMPLE_USAGE)

_executor_name = nullable(string(min_length=1, max_length=EXECUTOR_NAME_MAX))

TEAM_ROLES: Preference[Mapping[str, str | None]] = Preference(
    name="model_roles",
    help="The executor of each role, by name; null leaves it to the instance.",
    schema=obj(dict.fromkeys(ROLES, _executor_name)),
    default=dict.fromkeys(ROLES),
    write_permission="settings:manage",
)


def instance_default(host: Host, role: ModelRole) -> str | None:
    """Returns the executor that a role has where a team chose none; None is nobody."""
    return host.setting(MODEL_ROLES).get(role, None if role == "embedding" else "local")


async def role_executor(host: Host, reader: Reader, principal: Principal, role: ModelRole) -> Executor | None:
    """Returns the team's choice, else the instance's; one that is not there any more is passed over."""
    chosen = await host.service(Preferences).team(reader, principal.team_id, TEAM_ROLES)
    for name in (chosen.get(role), instance_default(host, role)):
        if name is not None:
            found = await host.service(Executors).named(reader, principal.org_id, name)
            if found is not None:
                return found
    return None
