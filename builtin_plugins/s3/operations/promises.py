"""Headers that ask for something: what is true anyway is accepted, the rest is refused, never ignored."""

from builtin_plugins.s3.call import Call
from builtin_plugins.s3.wire.errors import AccessControlListNotSupported, AccessDenied, Unimplemented

TRUE_LISTS = frozenset({"private", "bucket-owner-full-control", "bucket-owner-read"})
_REFUSED = (
    "x-amz-object-lock-",
    "x-amz-server-side-encryption",
    "x-amz-copy-source-server-side-encryption",
    "x-amz-website-redirect-location",
    "x-amz-write-offset-bytes",
)
_WRITE = "files:write"


def check_promises(call: Call) -> None:
    told = call.request.extensions
    check_access_list(call)
    storage_class = told.get("x-amz-storage-class", "STANDARD")
    if storage_class != "STANDARD":
        raise Unimplemented("The only storage class is STANDARD.")
    for name in told:
        if name.startswith(_REFUSED):
            raise Unimplemented(f"{name} is not offered here.")


def check_access_list(call: Call) -> None:
    """Who may read an object is said in Guildhall; a list that says the same as always does no harm."""
    told = call.request.extensions
    if told.get("x-amz-acl", "private") not in TRUE_LISTS or any(
        name.startswith("x-amz-grant-") for name in told
    ):
        raise AccessControlListNotSupported()


async def check_writable(call: Call, key: str, *, short: bool = False) -> None:
    """Before any bytes are taken. The repository judges at the end, when it writes: soon for a short body."""
    call.check_reach(key)
    call.repository.check_key(key)
    who = call.principal
    if who.org_suspended or not who.scope_allows(_WRITE):
        raise AccessDenied()
    if not short:
        async with call.read() as reader:
            await call.repository.check_right(reader, who, call.team_id, key)
