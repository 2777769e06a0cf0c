"""The rows of preferences."""

from guildhall_client.sending import segment
from guildhall_client.synchronous.api import Api
from guildhall_client.types.preferences import Preference, PreferencesList


class Preferences:
    """Calls of preferences."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def delete(self, plugin: str, name: str) -> None:
        """Go back to the default."""
        self._api.call("DELETE", f"/api/preferences/{segment(plugin)}/{segment(name)}")

    def get(self, plugin: str, name: str) -> Preference:
        """One of them, with its ETag."""
        reply: Preference = self._api.call("GET", f"/api/preferences/{segment(plugin)}/{segment(name)}")
        return reply

    def update(self, plugin: str, name: str) -> Preference:
        """Change one; the body is the value, by its schema. With If-Match only the version that was
        read.
        """
        reply: Preference = self._api.call("PUT", f"/api/preferences/{segment(plugin)}/{segment(name)}")
        return reply

    def list(self) -> PreferencesList:
        """What the team and the company decide about plugins, as far as the caller may read it."""
        reply: PreferencesList = self._api.call("GET", "/api/preferences")
        return reply
