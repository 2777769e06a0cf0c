"""How close two names are, at a cost that grows with their length alone."""

from collections.abc import Mapping
from dataclasses import dataclass

from builtin_plugins.knowledge.names import fold, initials, words

CLOSE = 0.85
# Letters of a name that are compared: some signs are several letters once they are folded.
_MAX_LETTERS = 400


@dataclass(frozen=True, slots=True)
class ComparedName:
    """A name as it is compared with many others; `places` has a bit for each place of a letter."""

    folded: str
    words: tuple[str, ...]
    different: frozenset[str]
    text: str
    initials: str
    places: Mapping[str, int]

    @classmethod
    def of(cls, name: str) -> "ComparedName":
        found = tuple(words(name))
        text = " ".join(found)[:_MAX_LETTERS]
        places: dict[str, int] = {}
        for at, letter in enumerate(text):
            places[letter] = places.get(letter, 0) | 1 << at
        return cls(fold(name), found, frozenset(found), text, initials(name), places)

    def is_within(self, other: "ComparedName") -> bool:
        """Tells whether all of its words are words of the other, which has more."""
        return self.different < other.different

    def has_initials_of(self, other: "ComparedName") -> bool:
        """Tells whether one may stand for the other, as IBM for International Business Machines."""
        if len(self.words) == len(other.words) or len(self.initials) < 2:
            return False
        return self.initials == other.initials

    def may_be_close(self, other: "ComparedName") -> bool:
        """Tells by their lengths alone whether `is_close` can be true."""
        together = len(self.text) + len(other.text)
        return 2 * min(len(self.text), len(other.text)) >= CLOSE * together

    def is_close(self, other: "ComparedName") -> bool:
        """Tells whether so much of both stands in the same order in each."""
        return 2 * self._shared(other) >= CLOSE * (len(self.text) + len(other.text))

    def _shared(self, other: "ComparedName") -> int:
        """Returns the length of the longest common subsequence, a machine word of places at a time."""
        every = (1 << len(self.text)) - 1
        unmatched = every
        for letter in other.text:
            matched = unmatched & self.places.get(letter, 0)
            unmatched = ((unmatched + matched) | (unmatched - matched)) & every
        return len(self.text) - unmatched.bit_count()
