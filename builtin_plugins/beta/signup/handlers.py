"""HTTP in and out."""

from builtin_plugins.beta.experiences.current import current
from builtin_plugins.beta.prospects.judging import plan_judging
from builtin_plugins.beta.signup import gate
from builtin_plugins.beta.signup.capture import SignUp, capture, signals_of
from builtin_plugins.beta.signup.challenge import PURPOSE, check_challenge, make_challenge
from builtin_plugins.beta.signup.form import check_fields
from builtin_plugins.beta.signup.settings import DISPOSABLE_DOMAINS
from guildhall_sdk import Reply, RequestContext, Unavailable, created
from guildhall_sdk.names import spelt_locale
from guildhall_sdk.services import Localization, Vault


async def read_challenge(ctx: RequestContext) -> Reply:
    vault = ctx.service(Vault)
    async with ctx.read() as reader:
        difficulty = await gate.difficulty_for(reader, gate.Origin.of(vault, ctx.address), ctx.now_ms)
    challenge = make_challenge(vault.derive(PURPOSE), difficulty, ctx.now_ms)
    return Reply(challenge, headers={"Cache-Control": "no-store"})


async def sign_up(ctx: RequestContext) -> Reply:
    vault = ctx.service(Vault)
    challenge = check_challenge(vault.derive(PURPOSE), ctx.body["challenge"], ctx.now_ms)
    funnel = await current(ctx)
    if funnel.org_id is None or funnel.team_id is None:
        raise Unavailable("Nobody has set this server up yet; come back later.")
    filled = check_fields(funnel.document.fields, ctx.body["fields"])
    origin = gate.Origin.of(vault, ctx.address)
    domains = ctx.setting(DISPOSABLE_DOMAINS).domains
    signup = SignUp(
        org_id=funnel.org_id,
        team_id=funnel.team_id,
        experience_id=funnel.experience_id,
        filled=filled,
        locale=await _locale(ctx),
        challenge=challenge,
        origin=origin,
        honeypot=bool(ctx.body.get("website", "").strip()),
        signals=signals_of(ctx.headers, origin, challenge, filled, domains, ctx.now_ms),
        judging=await plan_judging(ctx.host, funnel.team_id, funnel.published_by),
    )
    async with ctx.write() as writer:
        await capture(ctx.host, writer, signup, ctx.now_ms)
    # The same for everybody: where the team reads who signed up, never which of them this is.
    return created({"status": "received"}, "/api/beta/prospects")


async def _locale(ctx: RequestContext) -> str:
    """Returns the visitor's language, or that of the instance where the page did not say."""
    given: str | None = ctx.body.get("locale")
    return spelt_locale(given) if given else (await ctx.service(Localization).policy()).default_locale


HANDLERS = {handler.__name__: handler for handler in (read_challenge, sign_up)}
