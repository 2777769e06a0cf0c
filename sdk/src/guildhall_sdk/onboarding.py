"""Onboarding experiences that a plugin ships: the page on which people sign up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Experience:
    """An experience for `declare_contributions`, judged as one that is saved through the API.

    `document` has `fields`, `copy` by language, `theme`, `judge_prompt` and perhaps a `template`. It is shown
    until a team publishes its own, and unless the operator names another in `SERVICE_BETA_EXPERIENCE`.
    """

    document: Mapping[str, Any]
