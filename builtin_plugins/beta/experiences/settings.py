"""What an operator decides about the funnel's page."""

from collections.abc import Sequence
from typing import Any

from builtin_plugins.beta.experiences.seeds import SeedFile, seed_file
from guildhall_sdk import Setting

EXPERIENCE: Setting[SeedFile | None] = Setting(
    name="experience",
    help="path of a JSON file: the experience that is shown until a team publishes its own",
    default=None,
    parse=seed_file,
)
SETTINGS: Sequence[Setting[Any]] = (EXPERIENCE,)
