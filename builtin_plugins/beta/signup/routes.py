"""The rows of signing up, open to pages of every origin, and their handlers."""

from builtin_plugins.beta.experiences.current import current
from builtin_plugins.beta.experiences.validation import MAX_ANSWERS
from builtin_plugins.beta.prospects.scoring import plan_scoring
from builtin_plugins.beta.signup import gate
from builtin_plugins.beta.signup.capture import SignUp, capture, signals_of
from builtin_plugins.beta.signup.challenge import ALGORITHM, PURPOSE, check_challenge, make_challenge
from builtin_plugins.beta.signup.form import DISPOSABLE_DOMAINS, check_fields
from guildhall_sdk import Auth, Call, Reply, Route, Unavailable, created
from guildhall_sdk.schema import anything, enum, integer, obj, shape, string, time
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.localization import Localization
from libs.names import LOCALE_MAX, LOCALE_PATTERN, spelt_locale

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


ROUTES = (
    Route(
        "GET",
        "/api/beta/challenge",
        "read_challenge",
        "A proof-of-work challenge to solve before signing up.",
        Auth.PUBLIC,
        reply=CHALLENGE,
        cors=True,
    ),
    Route(
        "POST",
        "/api/beta/signup",
        "sign_up",
        "Sign up with the fields of the published experience and a solved challenge.",
        Auth.PUBLIC,
        body=SIGNUP,
        reply=RECEIVED,
        status=201,
        max_body=MAX_BODY,
        cors=True,
    ),
)


async def read_challenge(call: Call) -> Reply:
    vault = call.service(Vault)
    async with call.read() as reader:
        difficulty = await gate.difficulty_for(reader, gate.Origin.of(vault, call.address), call.now_ms)
    challenge = make_challenge(vault.derive(PURPOSE), difficulty, call.now_ms)
    return Reply(challenge, headers={"Cache-Control": "no-store"})


async def sign_up(call: Call) -> Reply:
    vault = call.service(Vault)
    challenge = check_challenge(vault.derive(PURPOSE), call.body["challenge"], call.now_ms)
    funnel = await current(call)
    if funnel.org_id is None or funnel.team_id is None:
        raise Unavailable("Nobody has set this server up yet; come back later.")
    filled = check_fields(funnel.document.fields, call.body["fields"])
    origin = gate.Origin.of(vault, call.address)
    domains = call.setting(DISPOSABLE_DOMAINS).domains
    signup = SignUp(
        org_id=funnel.org_id,
        team_id=funnel.team_id,
        experience_id=funnel.experience_id,
        filled=filled,
        locale=await _locale(call),
        challenge=challenge,
        origin=origin,
        honeypot=bool(call.body.get("website", "").strip()),
        signals=signals_of(call.headers, origin, challenge, filled, domains, call.now_ms),
        scoring=await plan_scoring(call.host, funnel.team_id, funnel.published_by),
    )
    async with call.write() as writer:
        await capture(call.host, writer, signup, call.now_ms)
    # The same for everybody: where the team reads who signed up, never which of them this is.
    return created({"status": "received"}, "/api/beta/prospects")


async def _locale(call: Call) -> str:
    """Returns the visitor's language, or that of the instance where the page did not say."""
    given: str | None = call.body.get("locale")
    return spelt_locale(given) if given else (await call.service(Localization).policy()).default_locale


HANDLERS = {handler.__name__: handler for handler in (read_challenge, sign_up)}
