"""The languages that the console ships in."""

from collections.abc import Mapping
from typing import Any

LOCALIZATION: Mapping[str, Any] = {
    "default_locale": "en",
    "locales": [
        {"code": "en", "name": "English", "dir": "ltr"},
        {"code": "es", "name": "Español", "dir": "ltr"},
        {"code": "nl", "name": "Nederlands", "dir": "ltr"},
        {"code": "is", "name": "Íslenska", "dir": "ltr"},
    ],
    "switching": True,
}
