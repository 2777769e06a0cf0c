"""Announcements between the parts of a plugin, in this process and the others: at most once."""

import json
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from guildhall_sdk.context import MAX_NEWS_BYTES
from guildhall_sdk.public import deprecated
from libs.coordination import PubSub, Subscription, Topic

CHANNEL = "news"
_NAME = re.compile(r"[a-z][a-z0-9._-]{0,63}")
# In ASCII and without blanks: what the database carries is counted in bytes.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


class PluginNews:
    """The SDK's `News`."""

    __slots__ = ("_pubsub", "_topic")

    def __init__(self, pubsub: PubSub, plugin: str, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"the plugin {plugin} names a channel {name!r}: take a letter of a-z, "
                "then up to 63 of a-z, 0-9, '.', '_' and '-'"
            )
        self._pubsub = pubsub
        self._topic: Topic = (plugin, name)

    def announce(self, payload: Mapping[str, Any]) -> None:
        text = _ENCODER.encode(payload)
        if not isinstance(payload, Mapping) or len(text) > MAX_NEWS_BYTES:
            raise ValueError(
                f"{'/'.join(self._topic)}: news is an object of at most {MAX_NEWS_BYTES} bytes as JSON; "
                "put what is longer into the database, and its id here"
            )
        self._pubsub.publish(self._topic, text)

    def tell(self, payload: Mapping[str, Any]) -> None:
        deprecated("News.tell", instead="News.announce", gone_in=2)
        self.announce(payload)

    def listen(self) -> AbstractContextManager[Subscription]:
        return self._pubsub.subscribe(self._topic)
