"""HTTP in and out of catalogs."""

from builtin_plugins.l10n.catalogs.policy import change_policy
from builtin_plugins.l10n.catalogs.served import ServedCatalogs
from guildhall_sdk import Actor, Call, InvalidRequest, Reply
from libs.names import spelt_locale


async def read_catalog(call: Call) -> Reply:
    return await call.service(ServedCatalogs).reply(call.query.get("locale"))


async def change_localization(call: Call) -> Reply:
    served, changes = call.service(ServedCatalogs), dict(call.body)
    if "default_locale" in changes:
        changes["default_locale"] = spelt_locale(changes["default_locale"])
        if not await served.is_known(changes["default_locale"]):
            problem = "is no language of this instance; POST /api/l10n/import with its tag opens it"
            raise InvalidRequest.at("/default_locale", problem)
    # What an operator does to the instance stands in the instance's own trail.
    actor = Actor(call.principal.username, call.principal.user_id, request_id=call.request_id)
    async with call.write(actor) as writer:
        await change_policy(writer, changes)
    await served.settle()
    return Reply((await served.policy()).public())


HANDLERS = {handler.__name__: handler for handler in (read_catalog, change_localization)}
