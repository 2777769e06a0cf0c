"""HTTP to addresses that others chose: where they may lead, and bounds of what comes back."""

from libs.outbound_http.bounded import (
    Answer,
    AnswerTooLarge,
    HttpFault,
    HttpTimeout,
    Request,
    Slots,
    TooManyAtOnce,
    fetch,
)
from libs.outbound_http.endpoints import (
    Endpoint,
    EndpointRefused,
    Resolve,
    SystemResolver,
    check_public,
    is_public,
    parse_endpoint,
    parse_url,
    public_addresses,
)

__all__ = [
    "Answer",
    "AnswerTooLarge",
    "Endpoint",
    "EndpointRefused",
    "HttpFault",
    "HttpTimeout",
    "Request",
    "Resolve",
    "Slots",
    "SystemResolver",
    "TooManyAtOnce",
    "check_public",
    "fetch",
    "is_public",
    "parse_endpoint",
    "parse_url",
    "public_addresses",
]
