"""The key that a day's requests to one region are signed with."""

import hmac
from functools import lru_cache


@lru_cache(maxsize=1024)
def signing_key(secret: str, date: str, region: str) -> bytes:
    """Kept by the secret itself, so that a key that was revoked or replaced finds nothing here."""
    key = f"AWS4{secret}".encode()
    for step in (date, region, "s3", "aws4_request"):
        key = hmac.digest(key, step.encode(), "sha256")
    return key
