"""Onboarding: the funnel's page, for the plugin that serves the root."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from guildhall_sdk.context import Call
from guildhall_sdk.hooks import declares
from guildhall_sdk.replies import Reply

Home = Literal["console", "beta"]


class Onboarding(Protocol):
    """The beta funnel."""

    @property
    def home(self) -> Home:
        """What the root serves, by `SERVICE_HOME`."""

    async def page(self, call: Call) -> Reply:
        """Returns the funnel's page, for the hostname and the language of the request. Not inside a scope."""


@dataclass(frozen=True, slots=True)
class Experience:
    """An experience for `declare_experiences`, judged as one that is saved through the API.

    `document` has `fields`, `copy` by language, `theme`, `judge_prompt` and perhaps a `template`. It is shown
    until a team publishes its own, and unless the operator names another in `SERVICE_BETA_EXPERIENCE`.
    """

    document: Mapping[str, Any]


class ExperienceHooks(Protocol):
    """The hook of the plugin `beta`."""

    @declares(Experience, label="experience")
    def declare_experiences(self) -> Sequence[Experience]:
        """Declares a page on which people sign up, shown until a team publishes its own."""
