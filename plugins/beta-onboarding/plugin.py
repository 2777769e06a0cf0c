"""The onboarding experience that a fresh server shows: what Guildhall is, and how to ask for access."""

import json
from collections.abc import Sequence
from pathlib import Path

from guildhall_sdk import hookimpl
from guildhall_sdk.services.pages import Experience

_EXPERIENCE = Path(__file__).with_name("experience.json")


@hookimpl
def declare_experiences() -> Sequence[Experience]:
    return [Experience(document=json.loads(_EXPERIENCE.read_text("utf-8")))]
