"""The chain of signatures over a streamed body: each signs the one before it."""

import hashlib
import hmac

from builtin_plugins.s3.wire.errors import SignatureDoesNotMatch
from builtin_plugins.s3.wire.sigv4 import Signature, sign

_NOTHING = hashlib.sha256().hexdigest()


class ChunkSignatures:
    """Begins with the signature of the request itself."""

    def __init__(self, seed: Signature) -> None:
        self._key, self._scope = seed.key, seed.scope
        self._previous = seed.value

    def after_chunk(self, content_sha256: str) -> str:
        return self._sign("AWS4-HMAC-SHA256-PAYLOAD", f"{_NOTHING}\n{content_sha256}")

    def after_trailer(self, canonical: bytes) -> str:
        return self._sign("AWS4-HMAC-SHA256-TRAILER", hashlib.sha256(canonical).hexdigest())

    def accept(self, expected: str, given: str) -> None:
        """Goes on from `expected` if it is what was given."""
        if not hmac.compare_digest(expected.encode(), given.encode()):
            raise SignatureDoesNotMatch("The signature of a chunk or of the trailer does not match.")
        self._previous = expected

    def _sign(self, kind: str, digests: str) -> str:
        return sign(self._key, f"{kind}\n{self._scope.timestamp}\n{self._scope}\n{self._previous}\n{digests}")
