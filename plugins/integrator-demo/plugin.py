"""An integrator's own data behind a tool, a route and a page of the console: how long a shipment takes."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, Protocol

from guildhall_sdk import (
    Call,
    EventCall,
    Host,
    InvalidRequest,
    JobFailed,
    JobKind,
    Parameter,
    Preference,
    Principal,
    Route,
    Subscription,
    Tool,
    UserError,
    hookimpl,
)
from guildhall_sdk.hooks import Declarer, checked, declares
from guildhall_sdk.jobs import RemoteCall
from guildhall_sdk.plugin import Features, Plugins, Switches
from guildhall_sdk.schema import array, boolean, enum, integer, listing, obj, shape, string
from guildhall_sdk.services.pages import Column, ConsolePage, FormPart, TablePart
from guildhall_sdk.settings import Preferences

_log = logging.getLogger("guildhall.integrator-demo")


@dataclass(frozen=True, slots=True)
class Lane:
    """Days at sea between two ports. A plugin that is packed together with this one may bring more."""

    name: str
    days: int


LANES = (Lane("rotterdam-newyork", 11), Lane("hamburg-shanghai", 32), Lane("reykjavik-rotterdam", 4))
DAYS = {lane.name: lane.days for lane in LANES}

_LANE = string(
    min_length=1,
    max_length=100,
    title="Lane",
    description=f"One of {', '.join(DAYS)}",
    examples=["hamburg-shanghai"],
)
_ETA = shape({"lane": string(), "days": integer(0)})
_LANES = obj(
    {
        "lanes": array(
            enum(*DAYS),
            maxItems=len(DAYS),
            uniqueItems=True,
            title="Lanes",
            description="The lanes that your team ships on",
        )
    },
    required=["lanes"],
    example={"lanes": ["hamburg-shanghai"]},
)
_SCHEDULE = listing(shape({"lane": string(), "days": integer(0), "used": boolean()}))
TEAM_LANES: Preference[dict[str, list[str]]] = Preference(
    name="lanes",
    help="the lanes that a team ships on",
    schema=_LANES,
    default={"lanes": list(DAYS)},
    write_permission="settings:manage",
)


def estimate(lane: str, days: Mapping[str, int]) -> dict[str, Any]:
    if lane not in days:
        raise UserError(f"There is no such lane; the lanes are {', '.join(days)}.")
    return {"lane": lane, "days": days[lane]}


def open_lanes(plugins: Plugins, switches: Switches) -> Mapping[str, int]:
    """Returns the lanes that every plugin brings and the caller's team has on."""
    return {lane.name: lane.days for _, lane in plugins.owned(Lane, switches)}


async def shipment_eta(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> dict[str, Any]:
    switches = host.service(Features).of(principal)
    return estimate(arguments["lane"], open_lanes(host.service(Plugins), switches))


async def eta_query(call: Call) -> dict[str, Any]:
    if "lane" not in call.query:
        raise InvalidRequest.at("?lane", "is required")
    return _estimate_for(call, call.query["lane"])


async def eta_body(call: Call) -> dict[str, Any]:
    return _estimate_for(call, call.body["lane"])


def _estimate_for(call: Call, lane: str) -> dict[str, Any]:
    switches = call.service(Features).of(call.principal)
    return estimate(lane, open_lanes(call.service(Plugins), switches))


async def read_lanes(call: Call) -> dict[str, list[str]]:
    async with call.read() as reader:
        return (await call.service(Preferences).read(reader, call.principal, TEAM_LANES)).value


async def write_lanes(call: Call) -> dict[str, list[str]]:
    async with call.write() as writer:
        return (await call.service(Preferences).write(writer, call.principal, TEAM_LANES, call.body)).value


async def schedule(call: Call) -> dict[str, Any]:
    """Lists every open lane, and whether the team ships on it."""
    used = (await read_lanes(call))["lanes"]
    switches = call.service(Features).of(call.principal)
    lanes = open_lanes(call.service(Plugins), switches)
    items = [{"lane": lane, "days": days, "used": lane in used} for lane, days in sorted(lanes.items())]
    return {"items": items, "next_cursor": None}


async def report_lane(job: RemoteCall) -> dict[str, Any]:
    """Runs on the integrator's own machine, by `guildhall worker`."""
    try:
        return {**estimate(job.payload["lane"], DAYS), "notes": f"attempt {job.attempt}"}
    except UserError as error:
        raise JobFailed("unknown_lane", error.detail) from None


async def hold_shipments(call: EventCall) -> None:
    """Tells the integrator's own systems of a suspended company; here it is a line in the log."""
    _log.info("shipments.held", extra={"fields": {"org": call.payload.org_id, "delivery": call.id}})


def check_report(result: Any) -> str | Literal[False]:
    """Returns what is wrong with a report, or False."""
    if not isinstance(result, dict) or not set(result) <= {"lane", "days", "notes"}:
        return "it must be {lane, days, notes?} and nothing else"
    if not isinstance(result.get("lane"), str):
        return "lane must be a text"
    days = result.get("days")
    if isinstance(days, bool) or not isinstance(days, int) or days < 0:
        return "days must be a whole number, 0 or more"
    if not isinstance(result.get("notes", ""), str):
        return "notes must be a text"
    return False


class LaneHooks(Protocol):
    """The hook of this plugin, for others that are packed together with it."""

    @declares(Lane, label="lane", name=attrgetter("name"))
    def declare_lanes(self) -> Sequence[Lane]:
        """Declares lanes that a shipment can take."""


def lane_fault(lane: Lane, declarer: Declarer) -> str | None:
    return None if lane.days > 0 else "days must be 1 or more"


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return [checked(LaneHooks, declare_lanes=lane_fault)]


#: What the console shows of this plugin: a table and two forms over its own rows, and no JavaScript.
LANES_PAGE = ConsolePage(
    name="lanes",
    title="Shipping lanes",
    text="How long a shipment takes, and the lanes that your team ships on.",
    parts=(
        TablePart(
            title="Schedule",
            source="schedule",
            columns=(
                Column(field="lane", label="Lane"),
                Column(field="days", label="Days"),
                Column(field="used", label="Ours"),
            ),
            empty="No plugin brings a lane.",
        ),
        FormPart(
            title="Estimate a shipment",
            target="eta",
            submit="Estimate",
            answer=(Column(field="lane", label="Lane"), Column(field="days", label="Days")),
        ),
        FormPart(
            title="Lanes of the team",
            method="PUT",
            target="lanes",
            filled_from="lanes",
            submit="Save lanes",
            done="Your team ships on these lanes now.",
        ),
    ),
)


@hookimpl
def declare_lanes() -> Sequence[Lane]:
    return LANES


@hookimpl
def declare_console_pages() -> Sequence[ConsolePage]:
    return (LANES_PAGE,)


@hookimpl
def declare_preferences() -> Sequence[Preference[Any]]:
    return [TEAM_LANES]


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return [
        JobKind(
            name="x.integrator-demo.lane-report",
            doc="Reports how long a lane takes, from the integrator's own systems.",
            validator=check_report,
            worker=report_lane,
            payload=obj({"lane": _LANE}, required=["lane"], example={"lane": "hamburg-shanghai"}),
        )
    ]


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    return [
        Subscription(
            name="hold-shipments",
            event="company.suspended",
            handler=hold_shipments,
            doc="Holds the shipments of a company that is suspended.",
        )
    ]


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return [
        Tool(
            name="shipment_eta",
            description="Estimates how many days a shipment takes on a lane.",
            permission="chat:use",
            hosted=shipment_eta,
            writes=False,
            parameters=[Parameter("lane", "string", f"One of {', '.join(DAYS)}")],
        )
    ]


@hookimpl
def declare_routes() -> Sequence[Route]:
    doc = "Estimates how many days a shipment takes on a lane."
    body = obj({"lane": _LANE}, required=["lane"], example={"lane": "rotterdam-newyork"})
    return [
        Route("GET", "eta", eta_query, doc, permission="chat:use", query={"lane": _LANE}, reply=_ETA),
        Route("POST", "eta", eta_body, doc, permission="chat:use", body=body, query={}, reply=_ETA),
        Route(
            "GET",
            "schedule",
            schedule,
            "The open lanes, and which of them the team ships on",
            permission="chat:use",
            query={},
            reply=_SCHEDULE,
        ),
        Route(
            "GET", "lanes", read_lanes, "The lanes of the team", permission="chat:use", query={}, reply=_LANES
        ),
        Route(
            "PUT",
            "lanes",
            write_lanes,
            "Choose the lanes of the team",
            permission="settings:manage",
            body=_LANES,
            query={},
            reply=_LANES,
        ),
    ]
