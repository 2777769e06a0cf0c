"""Judging prospects through the role `utility`: a job that the visitor does not wait for.

It acts as whoever published the page, and where nobody did as the first owner of the team. It is metered like
everything that asks a model. Why there is no verdict stands beside the prospect, in words.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.beta.experiences.current import Experiences
from builtin_plugins.beta.prospects.prompts import judging_turn, verdict_of
from guildhall_sdk import (
    Forbidden,
    Host,
    Job,
    JobCall,
    JobFailed,
    JobKind,
    NewJob,
    PermissionDenied,
    Reader,
    Row,
    TooManyRequests,
    Writer,
    load_queries,
)
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.schema import obj, string
from guildhall_sdk.services.executors import ExecutorTimeout, ModelBusy, ModelUnavailable
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.models import ModelFormat, Models

JUDGE = "beta.judge"
_CHAT = "chat:use"
_NO_PERMISSION = "no_permission"
_WORDS = {
    _NO_PERMISSION: "Whoever published the page is not in the team any more; publish a change of it.",
    "person_suspended": "Whoever published the page is suspended; somebody else must publish a change of it.",
    PermissionDenied.code: "Whoever published the page may not use models; somebody who may must publish it.",
    "quota_exceeded": "The team's quota of model turns is used up; it is judged when there is room again.",
    "queue_full": "The team had too many jobs waiting when they signed up.",
    "concurrency_exceeded": "The team's models are busy; it is judged when there is room.",
    ModelBusy.code: "The model is asked too much at the moment; it is judged when it answers again.",
    ModelFormat.code: "The model did not answer with a verdict.",
    ModelUnavailable.code: "The model could not be reached.",
    ExecutorTimeout.code: "The model did not answer in time.",
    "cancelled": "The job that judges was cancelled.",
}
_OTHER_WORDS = "The job that judges failed."

_sql = load_queries(Path(__file__).with_name("queries.sql"))


@dataclass(frozen=True, slots=True)
class JudgingPlan:
    """Whom the judging of a sign-up acts as, or None for none; `problem` is why, where one was to be had."""

    user_id: str | None = None
    problem: str | None = None


def problem_words(code: str) -> str:
    """Returns why there is no verdict, for the people who read the prospect."""
    return _WORDS.get(code, _OTHER_WORDS)


async def plan_judging(host: Host, team_id: str, published_by: str | None) -> JudgingPlan:
    """Finds out whether a real model would judge, and as whom; calls nobody. Not inside a scope."""
    models = host.find_service(Models)
    if models is None:
        return JudgingPlan()
    async with host.data.read() as reader:
        user_id = published_by or await reader.value(_sql.first_owner, team_id=team_id)
        if user_id is None:
            return JudgingPlan()
        credentials = host.service(Credentials)
        try:
            person = await credentials.acting(reader, user_id=user_id, team_id=team_id, scope=None)
        except Forbidden as suspended:  # whoever signs up has nothing to do with it
            return JudgingPlan(problem=suspended.code)
        if person is None:
            return JudgingPlan(problem=_NO_PERMISSION)
        choice = await models.choose(reader, person, role="utility")
    return JudgingPlan() if choice.simulated else JudgingPlan(user_id)


async def enqueue_judging(host: Host, writer: Writer, job: NewJob) -> None:
    """Enqueues the job that judges; where the team's queue is full the prospect is kept without a verdict."""
    try:
        await host.service(Jobs).enqueue(writer, job)
    except TooManyRequests as full:
        problem = {"id": job.payload["id"], "team_id": job.team_id, "problem": full.code}
        await writer.run(_sql.put_problem, **problem)


async def judge(job: JobCall) -> dict[str, Any]:
    """Asks the model about a prospect who has no verdict yet; one who was erased is left alone."""
    async with job.host.data.read() as reader:
        prospect = await _unjudged(reader, job)
        if prospect is None:
            return {"judged": False}
        person = await job.principal(reader)
        if not person.may(_CHAT):
            raise PermissionDenied(_CHAT)
        models = job.host.service(Models)
        if (await models.choose(reader, person, role="utility")).simulated:
            return {"judged": False}
        judge_prompt = await _judge_prompt(job.host, reader, prospect["experience_id"])
    signals = json.loads(prospect["signals"])
    seen = {"disposable_address": signals["disposable"], "seconds_to_submit": signals["seconds_to_submit"]}
    turn = judging_turn(judge_prompt, json.loads(prospect["fields"]), seen)
    try:
        reply = await models.ask(person, turn, role="utility", within=job.id)
    except (RetryLater, ModelUnavailable, ExecutorTimeout, ModelFormat) as problem:
        await _note(job, problem.code)
        if isinstance(problem, RetryLater) and "Retry-After" in problem.headers:
            raise
        # Its own words may repeat what the visitor wrote; a job's error is for others too.
        heals = isinstance(problem, ModelUnavailable | ExecutorTimeout)
        raise JobFailed(problem.code, problem_words(problem.code), retry=heals) from None
    verdict = verdict_of(reply.parsed, reply.model, disposable=signals["disposable"])
    text = json.dumps(verdict, ensure_ascii=False)

    async def keep(writer: Writer) -> None:
        await writer.run(_sql.put_verdict, id=job.payload["id"], team_id=job.team_id, verdict=text)

    job.on_success(keep)
    return {"judged": True}


async def _unjudged(reader: Reader, job: JobCall) -> Row | None:
    return await reader.one(_sql.unjudged, id=job.payload["id"], team_id=job.team_id)


async def _judge_prompt(host: Host, reader: Reader, experience_id: str | None) -> str:
    """Returns what the team asked for when the visitor signed up."""
    experiences = host.service(Experiences)
    if experience_id is None:
        return experiences.seed().judge_prompt
    return (await experiences.published(reader, experience_id)).judge_prompt


async def _note(job: JobCall, code: str) -> None:
    async with job.host.data.write() as writer:
        await writer.run(_sql.put_problem, id=job.payload["id"], team_id=job.team_id, problem=code)


async def record_end(host: Host, writer: Writer, job: Job) -> None:
    """Writes beside the prospect why a job came to no verdict, in the transaction that ends it."""
    if job.state == "succeeded":
        return
    code = "cancelled" if job.error is None or job.state == "cancelled" else job.error.code
    await writer.run(_sql.put_problem, id=job.payload["id"], team_id=job.team_id, problem=code)


JOB_KINDS = (
    JobKind(
        JUDGE,
        "Judges somebody who signed up for the beta.",
        handler=judge,
        outlives_person=True,
        payload=obj(
            {"id": string(min_length=1, max_length=64)}, required=["id"], example={"id": "prs_0123456789"}
        ),
        max_attempts=3,
        timeout_seconds=600,
        public=False,
        ended=record_end,
    ),
)
