"""The S3 application: one request from its bytes to its answer."""

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from builtin_plugins.s3.answering import S3Answer, as_s3_error, send_answer, xml
from builtin_plugins.s3.bodies import MAX_CONTENT, S3RequestBody
from builtin_plugins.s3.call import S3Call, check_maker
from builtin_plugins.s3.cors import answer_preflight, let_see
from builtin_plugins.s3.keys import AccessKeys, Caller
from builtin_plugins.s3.operations.table import UNKNOWN, operation_of
from builtin_plugins.s3.settings import DOMAIN, RATE_LIMIT
from builtin_plugins.s3.wire.answers import error_answer
from builtin_plugins.s3.wire.errors import (
    AccessDenied,
    InternalError,
    InvalidAccessKeyId,
    InvalidBucketName,
    S3Error,
)
from builtin_plugins.s3.wire.form import UploadForm, is_form
from builtin_plugins.s3.wire.post_claims import FormClaim, read_form_claim
from builtin_plugins.s3.wire.presign import MADE_WITH
from builtin_plugins.s3.wire.request import S3Request, parse_request
from builtin_plugins.s3.wire.sigv4 import Signature, read_claim, verify
from guildhall_sdk import Host, Problem, TooManyRequests, Unavailable
from guildhall_sdk.ids import request_id as made_request_id
from guildhall_sdk.mounts import Receive, Send
from guildhall_sdk.request_body import ClientGone
from guildhall_sdk.services.computing import RateLimits
from guildhall_sdk.services.metrics import Metrics
from guildhall_sdk.services.readiness import Readiness
from guildhall_sdk.services.toggles import Features
from libs.fair_slots import InFlight, Slot, take_turn

PLUGIN_ID = "s3"
PREFLIGHT = "Preflight"
# What surrounds the file is little, and what follows it as well.
MAX_FORM = MAX_CONTENT + 1024 * 1024
REQUESTS = "guildhall_s3_requests_total"
_log = logging.getLogger("guildhall.s3")


class S3Application:
    """Answers ASGI requests, below a prefix or at the root of a listener of its own."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._domain = (host.setting(DOMAIN) or "").partition(":")[0] or None
        self._keys = host.service(AccessKeys)
        self._rates = host.service(RateLimits).callers("s3", host.setting(RATE_LIMIT))
        self._features = host.service(Features)
        self._requests = host.service(Metrics).counter(REQUESTS)
        self._in_flight = InFlight(partial(TooManyRequests, headers={"Retry-After": "1"}))

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        with self._in_flight.slot() as slot:
            await self._serve(scope, receive, send, slot)

    async def _serve(self, scope: Mapping[str, Any], receive: Receive, send: Send, slot: Slot) -> None:
        started = time.perf_counter()
        request_id = made_request_id(_request_id_header(scope), self._host.clock.now_ms())
        request_body = S3RequestBody(receive, scope)
        log_line = _RequestLogLine(request_id, scope["method"])
        try:
            answer = await self._answer(scope, request_body, log_line, slot)
        except ClientGone:
            _log.info("request.abandoned", extra={"fields": log_line.fields(0, started)})
            return
        except (S3Error, Problem) as refusal:
            if isinstance(refusal, Unavailable):
                self._host.service(Readiness).suspect(refusal)
            answer = _refused(as_s3_error(refusal), scope, request_id)
        except Exception as error:
            _log.error("request.failed", exc_info=error, extra={"fields": log_line.fields(500, started)})
            answer = _refused(InternalError(), scope, request_id)
        if log_line.request is not None and "origin" in log_line.request.headers:
            answer = await let_see(self._host, log_line.request, answer)
        if not await request_body.finished():
            answer = replace(answer, headers={**answer.headers, "Connection": "close"})
        head = scope["method"] == "HEAD"
        try:
            await request_body.answer(lambda: send_answer(send, answer, request_body, request_id, head=head))
        except Exception as error:
            # The head is out: cutting the connection is the only way left to say that it went wrong.
            _log.error(
                "reply.broken", exc_info=error, extra={"fields": log_line.fields(answer.status, started)}
            )
            raise
        finally:
            self._requests.add(log_line.operation, str(answer.status))
            _log.info("request.done", extra={"fields": log_line.fields(answer.status, started)})

    async def _answer(
        self, scope: Mapping[str, Any], request_body: S3RequestBody, log_line: "_RequestLogLine", slot: Slot
    ) -> S3Answer:
        address = (scope.get("client") or ("unknown",))[0]
        try:
            request = log_line.request = parse_request(scope, self._domain)
            if request.method == "OPTIONS":
                log_line.operation = PREFLIGHT
                return await self._preflight(request, address)
            form = None
            if request.method == "POST" and is_form(request):
                form = await UploadForm.open(request, request_body.stream(MAX_FORM))
            signature, caller = await self._identify(request, form, address)
        except S3Error as refusal:
            self._rates.count_unproven(address, _rate_key(refusal.fields.get("AWSAccessKeyId", ""), address))
            raise
        slot.take(signature.access_key_id)
        await take_turn(scope, caller.principal.org_id)
        log_line.user = caller.principal.user_id
        if request.key and not request.bucket:
            raise InvalidBucketName()
        if not _in_own_bucket(request, caller):
            raise AccessDenied()
        if self._features.of(caller.principal).switched_off(PLUGIN_ID) is not None:
            raise AccessDenied("S3 is switched off for this team; an admin can turn it on.")
        operation = operation_of(request)
        log_line.operation = operation.name
        call = S3Call(
            self._host,
            request,
            scope["headers"],
            signature,
            caller,
            request_body,
            log_line.request_id,
            form,
        )
        return await operation.run(call)

    async def _preflight(self, request: S3Request, address: str) -> S3Answer:
        """Answers a preflight, which nobody signs: it counts for the address."""
        self._rates.check(address, "")
        answer = await answer_preflight(self._host, request)
        self._rates.count_unproven(address)
        return answer

    async def _identify(
        self, request: S3Request, form: UploadForm | None, address: str
    ) -> tuple[Signature, Caller]:
        """Returns who signed it, as they are now: the key is looked up unless they come too often."""
        now = self._host.clock.now_ms()
        claim = read_claim(request, now) if form is None else read_form_claim(form.fields, now)
        if claim is None:
            raise AccessDenied()
        rate_key = _rate_key(claim.access_key_id, address)
        self._rates.check(address, rate_key)
        found = None if "\0" in claim.access_key_id else await self._keys.in_use(claim.access_key_id)
        if found is None:
            raise InvalidAccessKeyId(AWSAccessKeyId=claim.access_key_id)
        if isinstance(claim, FormClaim):
            signature = claim.verify(found.secret)
        else:
            signature = verify(request, claim, found.secret)
        self._rates.count(found.caller.principal.credential.id, rate_key)
        if MADE_WITH in request.arguments:
            async with self._host.data.read() as reader:
                await check_maker(self._host, reader, request)
        return signature, found.caller


class _RequestLogLine:
    """The fields of the line in the log; never a path, query or header, which may hold a signature.

    `request` is for the answer, and not for the log.
    """

    __slots__ = ("method", "operation", "request", "request_id", "user")

    def __init__(self, request_id: str, method: str) -> None:
        self.request_id = request_id
        self.method = method[:16]
        self.operation = UNKNOWN
        self.user: str | None = None
        self.request: S3Request | None = None

    def fields(self, status: int, started: float) -> dict[str, str | float | None]:
        return {
            "request_id": self.request_id,
            "method": self.method,
            "operation": self.operation,
            "status": status,
            "user": self.user,
            "ms": round((time.perf_counter() - started) * 1000, 2),
        }


def _rate_key(access_key_id: str, address: str) -> str:
    """Returns the key of a caller's budget, which counts for one address.

    Whoever holds a link knows the id of its key: what a key proves it proves for one address.
    """
    return f"{access_key_id} {address}"


def _request_id_header(scope: Mapping[str, Any]) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"x-request-id"), "")


def _in_own_bucket(request: S3Request, caller: Caller) -> bool:
    """Tells whether the expected owner of a bucket is its team, for those who want to be sure."""
    expected = request.extensions.get("x-amz-expected-bucket-owner", caller.principal.team_id)
    return request.bucket in ("", caller.bucket) and expected == caller.principal.team_id


def _refused(error: S3Error, scope: Mapping[str, Any], request_id: str) -> S3Answer:
    if error.status == 304:
        return S3Answer(304, error.headers)
    return xml(error_answer(error, scope["path"], request_id), error.headers, error.status)
