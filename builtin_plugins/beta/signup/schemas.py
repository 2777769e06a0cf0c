"""What signing up takes and gives."""

from builtin_plugins.beta.experiences.judging import MAX_ANSWERS
from builtin_plugins.beta.signup.challenge import ALGORITHM
from guildhall_sdk.schema import anything, enum, integer, obj, shape, string, time
from libs.names import LOCALE_MAX, LOCALE_PATTERN

# The longest answers in the widest characters of UTF-8, with room for all else.
MAX_BODY = 4 * MAX_ANSWERS + 16 * 1024

CHALLENGE = shape(
    {
        "algorithm": enum(ALGORITHM),
        "nonce": string(),
        "difficulty": integer(16, 22, description="How many zero bits SHA-256 of nonce:solution starts with"),
        "expires_at": time(),
        "signature": string(),
    }
)
# Its own check says what is wrong with a challenge, by one code whatever it is.
_solved = anything(
    description="The challenge as it was given: nonce, difficulty, expires_at, signature; and `solution`"
)
SIGNUP = obj(
    {
        "fields": {
            "type": "object",
            "description": "The answers, by the names of the fields that GET /api/beta/config gives",
        },
        "challenge": _solved,
        "locale": string(
            max_length=LOCALE_MAX, pattern=LOCALE_PATTERN, description="The language that the visitor reads"
        ),
        "website": string(
            max_length=2_000, description="A trap for robots: people do not see it, and leave it empty"
        ),
    },
    required=["fields", "challenge"],
    example={
        "fields": {"email": "ann@example.com"},
        "challenge": {
            "nonce": "5d41402abc4b2a76b9719d911017c592",
            "difficulty": 16,
            "expires_at": "2030-01-31T12:00:00.000Z",
            "signature": "0" * 64,
            "solution": "48213",
        },
        "locale": "en",
    },
)
RECEIVED = shape({"status": enum("received")})
