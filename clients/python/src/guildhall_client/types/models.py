"""What the API says about models."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class ModelItemAllowed(TypedDict):
    roles: NotRequired[list[str]]
    teams: NotRequired[list[str]]
    users: NotRequired[list[str]]


class ModelItemPrice(TypedDict):
    currency: str
    input_per_million: float
    output_per_million: float


class ModelItem(TypedDict):
    allowed: ModelItemAllowed | None
    description: str
    executor: str
    #: For the whole instance, and not for the caller's company alone
    instance: bool
    label: str
    model: str | None
    name: str
    price: ModelItemPrice | None


class ModelItem2(TypedDict):
    description: str
    label: str
    name: str
    price: ModelItemPrice | None
    #: chat, and the roles that models have in the team
    roles: list[str]


class Model(TypedDict):
    items: list[ModelItem | ModelItem2]
    next_cursor: str | None


class UpdateModelAllowed(TypedDict):
    roles: NotRequired[Sequence[str]]
    teams: NotRequired[Sequence[str]]
    users: NotRequired[Sequence[str]]


class UpdateModelPrice(TypedDict):
    currency: str
    input_per_million: float
    output_per_million: float


__all__ = [
    "Model",
    "ModelItem",
    "ModelItem2",
    "ModelItemAllowed",
    "ModelItemPrice",
    "UpdateModelAllowed",
    "UpdateModelPrice",
]
