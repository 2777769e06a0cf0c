"""What is wrong with a JSON text, and where."""

from collections.abc import Mapping, Sequence

# A pointer shows so much of a name, whatever a caller named.
_MAX_POINTED = 80


class JsonFault(ValueError):
    """Raised for a text that is not taken: `detail` says why, and `errors` where by JSON pointer."""

    def __init__(self, detail: str, *, errors: Sequence[Mapping[str, str]] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)

    @classmethod
    def at(cls, pointer: str, message: str) -> "JsonFault":
        """Returns the fault of one place in the text, named by JSON pointer."""
        return cls(f"{pointer or 'body'}: {message}", errors=[{"pointer": pointer, "message": message}])


def json_pointer(*path: object) -> str:
    """Returns an RFC 6901 pointer such as `/fields/email`, with long names cut."""
    return "".join("/" + str(name)[:_MAX_POINTED].replace("~", "~0").replace("/", "~1") for name in path)
