"""The rows of executors."""

from builtin_plugins.executors import schemas
from guildhall_sdk import PAGE_QUERY, Auth, Route

ROUTES = (
    Route(
        "GET",
        "/api/executors",
        "list_executors",
        "The executors that the caller's company may use, the local one first; for operators, all of them.",
        query=PAGE_QUERY,
        reply=schemas.EXECUTORS,
    ),
    Route(
        "POST",
        "/api/executors",
        "create_executor",
        "Create an executor, for everybody or bound to a company. The token of one that pulls is shown once.",
        permission="instance:manage",
        body=schemas.CREATE,
        reply=schemas.CREATED,
        status=201,
    ),
    Route(
        "DELETE",
        "/api/executors/:id",
        "retire_executor",
        "Retire an executor: its token ends, and the jobs that it holds return to the queue.",
        permission="instance:manage",
        status=204,
    ),
    Route(
        "POST",
        "/api/executors/:id/probe",
        "probe_executor",
        "Ask an executor's endpoint for a short turn: how it is, and what it does not take. One that is not "
        "the company's own wants instance:manage.",
        permission="org:manage",
        reply=schemas.PROBED,
    ),
    Route(
        "POST",
        "/api/org/executors",
        "create_company_executor",
        "Create an executor bound to the caller's company. Where work is pushed to must be public.",
        Auth.ORG_ADMIN,
        permission="org:manage",
        body=schemas.CREATE_FOR_COMPANY,
        reply=schemas.CREATED,
        status=201,
    ),
)
