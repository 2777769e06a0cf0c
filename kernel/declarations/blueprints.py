"""Quart blueprints of plugins: a row of the table for each rule, answered by an application of their own.

The application serves no socket: it is handed a request that has passed the gates of its row.
"""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

from quart import Quart, Request, Response, g
from quart.wrappers.response import DataBody
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Rule

from guildhall_sdk import Body, Problem, Reply, Route
from guildhall_sdk.blueprints import BlueprintRoutes
from kernel.faults import PluginFault

_PARAMETER = re.compile(r"<(?:(\w+)(?:\([^()]*\))?:)?(\w+)>")
# What a refusal says in headers, beside its type.
_TOLD = frozenset({"allow", "retry-after", "www-authenticate"})
_SERVING = ("before_serving_funcs", "after_serving_funcs", "while_serving_gens")


class Refused(Problem):
    """A refusal that a blueprint raises by `abort`, in the form of every other."""

    def __init__(self, error: HTTPException) -> None:
        self.status = error.code or 500  # type: ignore[misc]
        self.title = error.name  # type: ignore[misc]
        headers = {name: value for name, value in error.get_headers() if name.lower() in _TOLD}
        super().__init__(error.description or error.name, code=_word(error.name), headers=headers)


def blueprint_rows(plugin_id: str, routes: BlueprintRoutes) -> Iterator[Route]:
    """Yields a row for each method of each rule; rules with fewer parameters come first."""
    app = _application(plugin_id, routes)
    answer = _handler(app)
    for rule in sorted(app.url_map.iter_rules(), key=_generality):
        view = app.view_functions[rule.endpoint]
        for method in sorted(_methods(rule)):
            yield Route(
                method,
                _PARAMETER.sub(_segment, rule.rule).removeprefix(_prefix(plugin_id)).removeprefix("/"),
                answer,
                (view.__doc__ or "").strip().partition("\n")[0],
                permission=routes.permission,
                feature=routes.feature,
                body_kind=Body.WHOLE,
                query=None,
                max_body=routes.max_body,
            )


def _application(plugin_id: str, routes: BlueprintRoutes) -> Quart:
    app = Quart(f"guildhall-{plugin_id}", static_folder=None)
    blueprint = routes.blueprint
    app.register_blueprint(blueprint, url_prefix=_prefix(plugin_id) + (blueprint.url_prefix or ""))
    if any(rule.websocket for rule in app.url_map.iter_rules()):
        raise PluginFault(f"the blueprint {blueprint.name} has a websocket; send events instead")
    if any(getattr(app, name) for name in _SERVING):
        raise PluginFault(f"the blueprint {blueprint.name} runs code when serving begins; use on_start")

    @app.errorhandler(HTTPException)
    async def refuse(error: HTTPException) -> Any:
        if error.response is not None or (error.code or 500) < 400:
            return error.get_response()
        raise Refused(error)

    return app


def _handler(app: Quart) -> Any:
    async def answer(call: Any) -> Reply:
        request = _request(app, call)
        async with app.request_context(request) as context:
            g.call = call
            return await _reply(await app.full_dispatch_request(context))

    return answer


def _request(app: Quart, call: Any) -> Request:
    headers = Headers(list(call.headers.items()))
    headers["Remote-Addr"] = call.address
    scheme = urlsplit(call.host.settings.base_url).scheme
    scope: Any = {"type": "http"}
    request = app.request_class(
        method=call.method,
        scheme=scheme,
        path=call.path,
        query_string=call.raw_query,
        headers=headers,
        root_path="",
        http_version="1.1",
        scope=scope,
        send_push_promise=_no_push,
    )
    request.body.append(call.body or b"")
    request.body.set_complete()
    return request


async def _no_push(path: str, headers: Headers) -> None:
    """Answers a push promise, which HTTP/1.1 does not have."""


async def _reply(response: Any) -> Reply:
    """Returns the reply that a response of Quart's or Werkzeug's stands for."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        headers[name.lower()] = f"{headers[name.lower()]}, {value}" if name.lower() in headers else value
    if "set-cookie" in headers:
        raise RuntimeError("a blueprint set a cookie: callers are known by their token, so none is sent")
    content_type = headers.pop("content-type", "application/octet-stream")
    if isinstance(response, Response) and not isinstance(response.response, DataBody):
        chunks = _chunks(response)
        return Reply(status=response.status_code, headers=headers, content_type=content_type, stream=chunks)
    headers.pop("content-length", None)
    data = await response.get_data(as_text=False) if isinstance(response, Response) else response.get_data()
    return Reply(status=response.status_code, headers=headers, content_type=content_type, content=data)


async def _chunks(response: Response) -> AsyncIterator[bytes]:
    async with response.response as body:
        async for chunk in body:
            yield chunk.encode() if isinstance(chunk, str) else bytes(chunk)


def _prefix(plugin_id: str) -> str:
    return f"/api/x/{plugin_id}"


def _methods(rule: Rule) -> set[str]:
    methods = {*(rule.methods or ())} - {"HEAD"}
    return methods - {"OPTIONS"} if getattr(rule, "provide_automatic_options", False) else methods


def _segment(match: re.Match[str]) -> str:
    return f"*{match[2]}" if match[1] == "path" else f":{match[2]}"


def _generality(rule: Rule) -> tuple[int, ...]:
    """Orders rules so that none hides one that is more particular."""
    segments = _PARAMETER.sub(_segment, rule.rule).split("/")
    return tuple({":": 1, "*": 2}.get(segment[:1], 0) for segment in segments)


def _word(name: str) -> str:
    return re.sub(r"[^a-z]+", "_", name.lower()).strip("_")
