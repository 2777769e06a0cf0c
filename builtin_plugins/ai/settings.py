"""What an operator decides about models."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_sdk import Setting
from guildhall_sdk.services.models import MODEL_ROLES as ROLES
from guildhall_sdk.settings import boolean, json_value


def roles(given: str) -> Mapping[str, str]:
    """The executor of each role, by name."""
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
SETTINGS: Sequence[Setting[Any]] = (MODEL_ROLES, IMAGE_URLS)
