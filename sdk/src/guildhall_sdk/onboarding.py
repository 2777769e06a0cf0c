"""Onboarding experiences that a plugin ships: the page on which people sign up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guildhall_sdk.hooks import declares


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
