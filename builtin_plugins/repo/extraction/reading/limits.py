"""What one document may cost."""

from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """The limits of reading one document.

    What is too large, too deep or too slow is refused; of too much text, pages or cells the first are read.
    """

    input_bytes: int = 256 * _MIB
    plain_bytes: int = 8 * _MIB
    """Of a plain file, this much is looked at."""
    text_bytes: int = 2 * _MIB
    """UTF-8, of what comes out."""
    memory_bytes: int = 512 * _MIB
    """Address space of the child, the interpreter included."""
    cpu_seconds: int = 20
    wall_seconds: int = 60
    pages: int = 2_000
    cells: int = 1_000_000
    rows: int = 1_048_576
    """A sheet with more is none that a spreadsheet program could have written."""
    depth: int = 256
    parts: int = 20_000
    expanded_bytes: int = 256 * _MIB
    """Of all parts of a package that are read, together."""
    expansion: int = 200
    """How many times its packed size a part may be, once it is large."""
