"""Localization: the languages of this instance, and the texts of its screens in each of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class LocaleName:
    """A language that can be chosen: its tag, its name in itself, and the direction of its script."""

    code: str
    name: str
    dir: Literal["ltr", "rtl"]

    def public(self) -> dict[str, Any]:
        """The language as the API shows it."""
        return {"code": self.code, "name": self.name, "dir": self.dir}


@dataclass(frozen=True, slots=True)
class LocalePolicy:
    """The default language, those that can be chosen, and whether people may choose."""

    default_locale: str
    locales: Sequence[LocaleName]
    switching: bool

    def public(self) -> dict[str, Any]:
        """The policy as the API shows it."""
        return {
            "default_locale": self.default_locale,
            "locales": [one.public() for one in self.locales],
            "switching": self.switching,
        }


class Localization(Protocol):
    """The policy and the catalogs. Not for use inside a scope."""

    async def policy(self) -> LocalePolicy:
        """Returns the policy as it is now in every process."""
        ...

    async def chain(self, locale: str | None) -> Sequence[str]:
        """Returns where a text is looked for: `nl-BE`, `nl`, the default, `en`.

        Without a wish, or with one that is no language tag, it begins with the default.
        """
        ...

    async def messages(self, locale: str | None, namespace: str | None = None) -> Mapping[str, str]:
        """Returns ICU messages by key, each from the first language of the chain that has it."""
        ...
