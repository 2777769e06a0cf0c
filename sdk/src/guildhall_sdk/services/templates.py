"""Templates that are filled with data."""

from typing import Any, Literal, Protocol


class Templates(Protocol):
    """Mustache without partials, lambdas or files, at a bounded cost. The plugin `documents` offers it."""

    async def fill(
        self, org_id: str, template: str, data: Any, *, escape: Literal["markdown", "html"] = "markdown"
    ) -> str:
        """Returns the template filled with JSON data, computed in turn with other companies.

        `{{x}}` is escaped, `{{{x}}}` and `{{&x}}` are not. Raises `UserError` `invalid_template` or
        `output_too_large`.
        """
        ...
