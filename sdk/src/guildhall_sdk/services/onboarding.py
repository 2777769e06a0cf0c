"""Onboarding: the funnel's page, for the plugin that serves the root."""

from typing import Literal, Protocol

from guildhall_sdk.context import Call
from guildhall_sdk.replies import Reply

Home = Literal["console", "beta"]


class Onboarding(Protocol):
    """The beta funnel."""

    @property
    def home(self) -> Home:
        """What the root serves, by `SERVICE_HOME`."""
        ...

    async def page(self, call: Call) -> Reply:
        """Returns the funnel's page, for the hostname and the language of the request. Not inside a scope."""
        ...
