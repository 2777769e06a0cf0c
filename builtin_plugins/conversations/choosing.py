"""Which model answers."""

from guildhall_sdk import Host, NotFound, Principal, Reader
from guildhall_sdk.services.models import DEFAULT_MODEL, MemberModel, MemberModels

_OWN = MemberModel(name=DEFAULT_MODEL, label=DEFAULT_MODEL)


async def choose_model(host: Host, reader: Reader, principal: Principal, name: str | None) -> MemberModel:
    """Returns the model of this name; raises `NotFound` `unknown_model` where the caller may use none."""
    wanted, models = name or DEFAULT_MODEL, host.find_service(MemberModels)
    if models is not None:
        return await models.named(reader, principal, wanted)
    if wanted != DEFAULT_MODEL:
        raise NotFound(f"There is no model {wanted[:80]!r} that you may use.", code="unknown_model")
    return _OWN
