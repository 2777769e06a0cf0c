"""An integrator's own data behind a tool and a route: how long a shipment takes."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_sdk import (
    ExtensionCall,
    ExtensionRoute,
    InvalidRequest,
    Parameter,
    Principal,
    Reader,
    Tool,
    UserError,
    hookimpl,
)
from guildhall_sdk.schema import integer, obj, shape, string

DAYS = {"rotterdam-newyork": 11, "hamburg-shanghai": 32, "reykjavik-rotterdam": 4}

_LANE = string(
    min_length=1, max_length=100, description=f"One of {', '.join(DAYS)}", examples=["hamburg-shanghai"]
)
_ETA = shape({"lane": string(), "days": integer(0)})


def estimate(lane: str) -> dict[str, Any]:
    if lane not in DAYS:
        raise UserError(f"There is no such lane; the lanes are {', '.join(DAYS)}.")
    return {"lane": lane, "days": DAYS[lane]}


async def shipment_eta(
    _reader: Reader, _principal: Principal, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    return estimate(arguments["lane"])


async def eta_query(call: ExtensionCall) -> dict[str, Any]:
    if "lane" not in call.query:
        raise InvalidRequest.at("?lane", "is required")
    return estimate(call.query["lane"])


async def eta_body(call: ExtensionCall) -> dict[str, Any]:
    return estimate(call.body["lane"])


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return [
        Tool(
            name="shipment_eta",
            description="Estimates how many days a shipment takes on a lane.",
            permission="chat:use",
            handler=shipment_eta,
            parameters=[Parameter("lane", "string", f"One of {', '.join(DAYS)}")],
        )
    ]


@hookimpl
def declare_extension_routes() -> Sequence[ExtensionRoute]:
    doc = "Estimates how many days a shipment takes on a lane."
    body = obj({"lane": _LANE}, required=["lane"], example={"lane": "rotterdam-newyork"})
    return [
        ExtensionRoute("GET", "/eta", "chat:use", eta_query, doc, query={"lane": _LANE}, reply=_ETA),
        ExtensionRoute("POST", "/eta", "chat:use", eta_body, doc, body=body, query={}, reply=_ETA),
    ]
