"""What a thing is worth: judged on a worker's machine, where the team has that on."""

from typing import Any, Literal

from guildhall_loans.things import sql
from guildhall_sdk import Feature, Host, Job, JobKind, Writer
from guildhall_sdk.jobs import RemoteCall
from guildhall_sdk.schema import obj, string

FEATURE = Feature("loans-appraisals", "Workers check_result what things are worth")
_PAYLOAD = obj({"id": string(), "label": string()}, required=["id", "label"])


async def appraise(job: RemoteCall) -> dict[str, Any]:
    await job.progress(0.5)
    return {"value": 10 * len(job.payload["label"])}


def check_result(result: Any) -> str | Literal[False]:
    worth = isinstance(result, dict) and isinstance(result.get("value"), int)
    return False if worth else "it says no value"


async def remember(host: Host, writer: Writer, job: Job) -> None:
    if job.state == "succeeded":
        await writer.run(sql.appraise, id=job.payload["id"], team_id=job.team_id, value=job.result["value"])


KIND = JobKind(
    "x.loans.appraise",
    "Judges what a thing is worth.",
    validator=check_result,
    worker=appraise,
    payload=_PAYLOAD,
    feature=FEATURE.name,
    ended=remember,
)
