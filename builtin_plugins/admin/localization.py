"""The languages that can be chosen, as the plugin for localization has it."""

from guildhall_sdk import Host
from guildhall_sdk.services.localization import LocaleName, LocalePolicy, Localization

#: Where no plugin offers `Localization`, there is the language that everything is written in.
ENGLISH = LocalePolicy("en", (LocaleName("en", "English", "ltr"),), False)


async def policy(host: Host) -> LocalePolicy:
    """Returns the policy of now."""
    localization = host.find_service(Localization)
    return ENGLISH if localization is None else await localization.policy()
