"""What an operator decides about executors and the instance's own model."""

from collections.abc import Sequence
from typing import Any

from builtin_plugins.executors.endpoints import parse_endpoint
from builtin_plugins.executors.environment import EnvironmentExecutor, executors
from guildhall_sdk import Setting, UserError
from guildhall_sdk.settings import boolean, seconds, text, web_url


def endpoint_url(given: str) -> str:
    """The address of an endpoint, in the one spelling that is kept."""
    try:
        return parse_endpoint(web_url(given)).url
    except UserError as refusal:
        raise ValueError(refusal.detail) from None


MODEL_URL: Setting[str | None] = Setting(
    name="model_url",
    variable="SERVICE_MODEL_URL",
    help="the default model's address, /v1 included",
    default=None,
    parse=endpoint_url,
)
MODEL_KEY: Setting[str | None] = Setting(
    name="model_key",
    variable="SERVICE_MODEL_KEY",
    help="the default model's key",
    default=None,
    parse=text,
    secret=True,
)
MODEL_NAME: Setting[str | None] = Setting(
    name="model_name",
    variable="SERVICE_MODEL_NAME",
    help="the name of the default model",
    default=None,
    parse=text,
)
EXECUTORS: Setting[Sequence[EnvironmentExecutor]] = Setting(
    name="executors",
    variable="SERVICE_EXECUTORS",
    help="executors, as JSON",
    default=(),
    parse=executors,
    secret=True,
)
TIMEOUT: Setting[int] = Setting(
    name="timeout",
    variable="SERVICE_EXECUTOR_TIMEOUT",
    help="how long a model turn may wait",
    default=120,
    parse=seconds,
)
ORG_PRIVATE_ENDPOINTS: Setting[bool] = Setting(
    name="org_private_endpoints",
    variable="SERVICE_ORG_PRIVATE_ENDPOINTS",
    help="a company's executors may live on private addresses",
    default=False,
    parse=boolean,
)

SETTINGS: Sequence[Setting[Any]] = (
    MODEL_URL,
    MODEL_KEY,
    MODEL_NAME,
    EXECUTORS,
    TIMEOUT,
    ORG_PRIVATE_ENDPOINTS,
)
