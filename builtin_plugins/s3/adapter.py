"""S3 as a protocol of the server: how requests are read, who signed them, which operation is meant."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from builtin_plugins.s3.bodies import MAX_CONTENT
from builtin_plugins.s3.call import S3Call, check_maker, header_lines, refused
from builtin_plugins.s3.keys import AccessKeys
from builtin_plugins.s3.operations.buckets import let_see
from builtin_plugins.s3.operations.table import operation_of
from builtin_plugins.s3.settings import DOMAIN
from builtin_plugins.s3.wire.errors import AccessDenied, EntityTooLarge, InvalidAccessKeyId, RequestTimeout
from builtin_plugins.s3.wire.form import UploadForm, is_form
from builtin_plugins.s3.wire.post_policy import FormClaim, read_form_claim
from builtin_plugins.s3.wire.request import parse_request
from builtin_plugins.s3.wire.sigv4 import MADE_WITH, SignatureClaim, read_claim, verify
from guildhall_sdk import Host, Principal, Problem, Reader, Reply
from guildhall_sdk.routes import Claim, HeaderLines, Operation, ProtocolAdapter, RequestBody, Verified

# What surrounds the file is little, and what follows it as well.
MAX_FORM = MAX_CONTENT + 1024 * 1024


class S3Adapter(ProtocolAdapter[S3Call]):
    """Reads requests below a prefix or at the root of a listener of its own."""

    patience_seconds = 20.0

    def __init__(self, host: Host) -> None:
        self._host = host
        self._domain = (host.setting(DOMAIN) or "").partition(":")[0] or None
        self._keys = host.service(AccessKeys)

    def too_large(self, limit: int) -> Problem:
        return EntityTooLarge()

    def too_slow(self) -> Problem:
        return RequestTimeout()

    def read(self, scope: Mapping[str, Any], body: RequestBody) -> S3Call:
        return S3Call(parse_request(scope, self._domain), body)

    def operation(self, parsed: S3Call) -> Operation:
        return operation_of(parsed.request)

    async def claim(self, parsed: S3Call, address: str) -> Claim | None:
        """Returns the signature; that of a form stands in its body. Nobody signs a preflight."""
        request, now = parsed.request, self._host.clock.now_ms()
        if request.method == "OPTIONS":
            return None
        claim: SignatureClaim | FormClaim | None
        if request.method == "POST" and is_form(request):
            parsed.form = await UploadForm.open(request, parsed.request_body.stream(MAX_FORM))
            claim = read_form_claim(parsed.form.fields, now)
        else:
            claim = read_claim(request, now)
        if claim is None:
            raise AccessDenied()
        # Whoever holds a link knows the id of its key: what a key proves it proves for one address.
        return Claim(key=f"{claim.access_key_id} {address}", verify=partial(self._verify, parsed, claim))

    async def _verify(self, parsed: S3Call, claim: SignatureClaim | FormClaim) -> Verified:
        """Returns who signed it, as they are now."""
        key_id, request = claim.access_key_id, parsed.request
        found = None if "\0" in key_id else await self._keys.in_use(key_id)
        if found is None:
            raise InvalidAccessKeyId(AWSAccessKeyId=key_id)
        parsed.caller = found.caller
        if isinstance(claim, FormClaim):
            parsed.signature = claim.verify(found.secret)
        else:
            parsed.signature = verify(request, claim, found.secret)
        if MADE_WITH in request.arguments:
            async with self._host.data.read() as reader:
                await check_maker(self._host, reader, request)

        async def look_up(reader: Reader) -> Principal | None:
            principal = await self._keys.principal_of(reader, key_id)
            await check_maker(self._host, reader, request)
            return principal

        return Verified(principal=found.caller.principal, look_up=look_up)

    def refuse(self, problem: Problem, scope: Mapping[str, Any], request_id: str) -> Reply:
        return refused(problem, scope["path"], request_id)

    def headers(self, reply: Reply, request_id: str) -> HeaderLines:
        return header_lines(reply, request_id)

    async def finish(self, parsed: S3Call, reply: Reply) -> Reply:
        return (
            await let_see(self._host, parsed.request, reply) if "origin" in parsed.request.headers else reply
        )
