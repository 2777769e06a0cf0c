"""HTTP in and out."""

from builtin_plugins.beta.experiences.current import current
from builtin_plugins.beta.prospects.judging import plan_judging
from builtin_plugins.beta.signup import gate
from builtin_plugins.beta.signup.capture import SignUp, capture, signals_of
from builtin_plugins.beta.signup.challenge import PURPOSE, check_challenge, make_challenge
from builtin_plugins.beta.signup.form import check_fields
from builtin_plugins.beta.signup.settings import DISPOSABLE_DOMAINS
from guildhall_sdk import Call, Reply, Unavailable, created
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.localization import Localization
from libs.names import spelt_locale


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
        judging=await plan_judging(call.host, funnel.team_id, funnel.published_by),
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
