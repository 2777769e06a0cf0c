"""Our OpenAPI says what the table says, and the server does what it says, whatever is generated from it."""

import asyncio
import os
import re
from zlib import crc32

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from builtin_plugins.api_docs.openapi import describe, naming_permissions
from guildhall_sdk import Auth, Body
from guildhall_testing.conformance.samples import make_ids
from guildhall_testing.conformance.trial import Trial
from guildhall_testing.hall import open_hall
from guildhall_testing.selection import registry_of

SEED = 2030
LONG = "SOAK_ROUNDS" in os.environ
EXAMPLES = int(os.environ.get("SOAK_ROUNDS", "3"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def _template(path):
    return re.sub(r"[:*](\w+)", r"{\1}", path)


@pytest.mark.hall_databases("sqlite")
async def test_the_document_is_valid_openapi(shared_hall):
    document = (await shared_hall.anonymous.get("/api/openapi.json")).json()
    assert document["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(document).validate()
    del document["paths"]["/health"]["get"]["responses"]
    document["paths"]["/health"]["get"]["parameters"] = "none"
    with pytest.raises(Exception, match="is not of type"):
        schemathesis.openapi.from_dict(document).validate()


@pytest.mark.hall_databases("sqlite")
async def test_the_document_holds_every_row_and_nothing_else(shared_hall):
    document = (await shared_hall.anonymous.get("/api/openapi.json")).json()
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    rows = {(one.row.method, _template(one.row.path)) for one in shared_hall.registry.routes()}
    assert described == rows
    names = [one["operationId"] for methods in document["paths"].values() for one in methods.values()]
    assert len(set(names)) == len(names)


@pytest.mark.hall_databases("sqlite")
async def test_a_client_made_from_the_document_uploads_bytes(shared_hall):
    document = (await shared_hall.anonymous.get("/api/openapi.json")).json()
    operation = schemathesis.openapi.from_dict(document)["/api/repo/{key}"]["PUT"]
    (body,) = operation.body
    content = bytes(range(256))
    case = operation.Case(
        path_parameters={"key": "made-from-openapi.bin"}, body=content, media_type=body.media_type
    )
    owner = shared_hall.acme.owner
    headers = {"Authorization": f"Bearer {owner.token}"}
    made = await asyncio.to_thread(case.call, shared_hall.base_url, headers=headers)
    assert made.status_code == 201, made.text
    path = f"/api/repo-obj/{made.json()['id']}"
    assert (await owner.get(f"{path}/content")).content == content
    assert (await owner.delete(path)).status_code == 204


@pytest.fixture(scope="session")
def document(pytestconfig):
    return describe(registry_of(pytestconfig).route_table(), "1", "http://hall.invalid")


@pytest.fixture(scope="session")
def rows(pytestconfig):
    """The whole table: what is said of a row is compared in no time."""
    return registry_of(pytestconfig).routes()


def _bodies(row):
    """What a client sends: JSON by its schema, bytes as they are, or nothing."""
    if row.body:
        return {"application/json": {"schema": naming_permissions(row.body)}}
    if row.body_kind is not Body.JSON:
        return {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    return None


def test_each_operation_says_what_its_row_says(document, rows):
    for bound in rows:
        row = bound.row
        operation = document["paths"][_template(row.path)][row.method.lower()]
        assert operation["summary"] == row.doc, bound.name
        assert operation["tags"] == [bound.plugin_id], bound.name
        gates = (operation["x-auth"], operation["x-permission"], operation["x-feature"])
        assert gates == (row.auth.value, row.permission, row.feature), bound.name
        assert operation["security"] == ([] if row.auth is Auth.PUBLIC else [{"bearer": []}]), bound.name
        places = [(one["in"], one["name"]) for one in operation["parameters"]]
        named = [("path", name) for name in re.findall(r"[:*](\w+)", row.path)]
        assert places == named + [("query", name) for name in row.query or {}], bound.name
        assert operation.get("requestBody", {}).get("content") == _bodies(row), bound.name
        good = operation["responses"][str(row.status)]
        if row.status == 204:
            assert "content" not in good, bound.name
        else:
            assert list(good["content"]) == [row.content_type, *row.also_answers], bound.name
            assert good["content"][row.content_type] == {"schema": dict(row.reply or {})}, bound.name
        assert "application/problem+json" in operation["responses"]["default"]["content"], bound.name


def test_the_schemas_of_each_row_are_schemas(rows):
    for bound in rows:
        for schema in (bound.row.body, bound.row.reply, *(bound.row.query or {}).values()):
            if schema is not None:
                Draft202012Validator.check_schema(schema)


def test_the_example_of_each_body_is_valid(rows):
    for bound in rows:
        for example in (bound.row.body or {}).get("examples", ()):
            Draft202012Validator(bound.row.body).validate(example)


# What is generated from it


@pytest.fixture(scope="module")
async def busy_hall(hall_sites, hall_watch, hall_database):
    """A hall for calls that may do anything to it."""
    async with open_hall(hall_sites, hall_database, hall_watch) as hall:
        await hall.give_hostnames()
        yield hall


@pytest.fixture(scope="session")
def requests_for(roles):
    """The same requests in every run, from the row's own description; who calls is up to the test."""
    made = {}

    def requests_of(bound):
        if bound.name not in made:
            made[bound.name] = _generate(bound, list(roles.permissions.values()))
        return made[bound.name]

    return requests_of


def _generate(bound, permissions):
    document = describe([(bound.plugin_id, bound.row)], "1", "http://hall.invalid", permissions)
    for methods in document["paths"].values():
        for operation in methods.values():
            operation["security"] = []
    operation = next(schemathesis.openapi.from_dict(document).get_all_operations()).ok()
    described = operation.definition.raw
    breakable = "requestBody" in described or any(one["in"] == "query" for one in described["parameters"])
    # A bare id has no wrong form; what is wrong is refused by code that is one for all rows.
    broken = breakable and (LONG or crc32(bound.name.encode()) % 3 == 0)
    modes = GenerationMode if broken else [GenerationMode.POSITIVE]
    return [case for mode in modes for case in _cases(operation, mode)]


def _cases(operation, mode):
    found = []

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def collect(case):
        found.append(_impatient(case))

    collect()
    return found


def _impatient(case):
    """Whoever may wait half a minute need not do so here."""
    of_query, of_body = case.query, case.body
    for given_values, name, most in (
        (of_query, "wait", 0.01),
        (of_query, "wait_seconds", 0),
        (of_body, "max_wait", 0.01),
    ):
        if isinstance(given_values, dict) and isinstance(given_values.get(name), int | float):
            given_values[name] = min(given_values[name], most)
    return case


def _takes_values(row):
    """What is sent to it may come to the database as it is: one in two, or in a long run each."""
    return bool(row.query or row.body) and (LONG or crc32(row.path.encode()) % 2 == 0)


def _is_asked_on_sqlite(row):
    """Where ids are all that is generated, one in three, or in a long run each."""
    if LONG or _takes_values(row):
        return LONG
    return bool(row.query or row.body) or crc32(row.path.encode()) % 3 == 0


@pytest.mark.rows(where=_is_asked_on_sqlite)
@pytest.mark.hall_databases("sqlite")
async def test_generated_requests_get_what_the_document_promises(busy_hall, requests_for, bound):
    await _send_generated(busy_hall, requests_for, bound)


@pytest.mark.rows(where=_takes_values)
@pytest.mark.hall_databases("postgresql")
async def test_generated_values_get_what_the_document_promises_and_do_no_harm_to_postgresql(
    busy_hall, requests_for, bound
):
    await _send_generated(busy_hall, requests_for, bound)


async def _send_generated(busy_hall, requests_for, bound):
    """By one who may do all, so that the requests come as far as they can."""
    trial = Trial(busy_hall, bound)
    caller = await busy_hall.join(busy_hall.acme, "member", operator=True)
    maker = await trial.maker(busy_hall.acme)
    cases = requests_for(bound)
    ids = [await make_ids(trial.parameters, maker, "seeded") for _ in cases]
    names = [parameter.name for parameter in trial.parameters]

    def send_all():
        with requests.Session() as session:
            session.trust_env = False
            for number, case in enumerate(cases):
                if names and number % 3:  # one in three keeps what was generated
                    case.path_parameters = dict(zip(names, ids[number], strict=True))
                response = case.call(
                    busy_hall.base_url, session, headers={"Authorization": f"Bearer {caller.token}"}
                )
                if response.status_code == 503 and bound.row.path == "/ready":
                    continue  # a machine with much to do takes longer than it waits for the database
                case.validate_response(response, checks=CHECKS)

    await asyncio.to_thread(send_all)
