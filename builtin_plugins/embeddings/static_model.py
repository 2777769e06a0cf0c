"""The embedded model: a vector for each piece of a word, and their mean for a text. It needs numpy alone.

Its weights come with the wheel of `wordllama`, of which no code is loaded: the file of weights is mapped into
memory, and the rules by which words are taken apart are read from the file beside it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from struct import unpack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL = "wordllama-l2-supercat-256-ranked"
DIMENSIONS = 256
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WORD = re.compile(r"\S+")
_BEFORE_WORD = "\u2581"
_LONGEST_WORD = 64
_MAX_WORDS = 50_000
# Of one text; a question or a passage has a few hundred.
_MAX_PIECES = 4_096
_PIECES, _FIRST_PIECE = 32_000, 259
_COMMON, _LEAST = 50, 0.05


def package_folder() -> Path | None:
    """Returns where the wheel with the weights is installed, without importing it; None where it is not."""
    found = find_spec("wordllama")
    folders = None if found is None else found.submodule_search_locations
    folder = Path(folders[0]) if folders else None
    return folder if folder is not None and (folder / _WEIGHTS).is_file() else None


class WordPieces:
    """Takes words apart by merges of pairs, as the model's own tokenizer does."""

    def __init__(self, vocabulary: dict[str, int], merges: Sequence[Any]) -> None:
        self._ids = vocabulary
        pairs = (one.split(" ", 1) if isinstance(one, str) else one for one in merges)
        self._ranks = {(first, second): rank for rank, (first, second) in enumerate(pairs)}
        self._known: dict[str, tuple[int, ...]] = {}

    def of(self, text: str) -> list[int]:
        """Returns the ids of the pieces of a text's words, in order."""
        ids: list[int] = []
        for found in _WORD.finditer(text):
            word = found[0][:_LONGEST_WORD]
            pieces = self._known.get(word)
            if pieces is None:
                pieces = self._remember(word)
            ids += pieces
            if len(ids) > _MAX_PIECES:
                break
        return ids

    def _remember(self, word: str) -> tuple[int, ...]:
        if len(self._known) >= _MAX_WORDS:
            self._known.clear()
        pieces = tuple(self._take_apart(_BEFORE_WORD + word))
        self._known[word] = pieces
        return pieces

    def _take_apart(self, word: str) -> Iterator[int]:
        parts = [*word]
        unknown = len(self._ranks)
        while len(parts) > 1:
            ranks = [self._ranks.get(pair, unknown) for pair in pairwise(parts)]
            best = min(ranks)
            if best == unknown:
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        for part in parts:
            known = self._ids.get(part)
            if known is not None:
                yield known
                continue
            for byte in part.encode("utf-8", "replace"):
                yield self._ids.get(f"<0x{byte:02X}>", 0)


class StaticModel:
    """Makes vectors of unit length; one text takes a fraction of a millisecond."""

    def __init__(self, folder: Path) -> None:
        import numpy as np

        # Pieces are numbered by how common they are: what stands in every text says little of any.
        ranks = np.maximum(np.arange(_PIECES, dtype=np.float32) - _FIRST_PIECE, 0)
        self._telling = (np.log1p(ranks / _COMMON) + _LEAST)[:, np.newaxis].astype(np.float32)
        rules = json.loads((folder / _TOKENIZER).read_text("utf-8"))["model"]
        self._pieces = WordPieces(rules["vocab"], rules["merges"])
        self._weights = _mapped(folder / _WEIGHTS)

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            ids = self._pieces.of(text)
            if ids:
                vectors[row] = (self._weights[ids] * self._telling[ids]).mean(axis=0)
            else:
                vectors[row, 0] = 1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        found: NDArray[np.float32] = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
        return found


def _mapped(path: Path) -> "NDArray[np.float16]":
    """Maps the only tensor of a safetensors file: its length, a description in JSON, and the numbers."""
    import numpy as np

    with path.open("rb") as file:
        (length,) = unpack("<Q", file.read(8))
        (described,) = (one for one in json.loads(file.read(length)).values() if "data_offsets" in one)
    shape = tuple(described["shape"])
    if described["dtype"] != "F16" or shape != (_PIECES, DIMENSIONS):
        raise ValueError("the weights are of another kind than this version reads")
    offset = 8 + length + described["data_offsets"][0]
    return np.memmap(path, dtype=np.float16, mode="r", offset=offset, shape=shape)


@cache
def loaded() -> StaticModel | None:
    """Loads the model, once for the process; None where its wheel is not installed. It takes a moment."""
    folder = package_folder()
    return None if folder is None else StaticModel(folder)
