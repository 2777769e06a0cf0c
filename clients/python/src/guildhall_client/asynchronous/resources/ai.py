"""The rows of ai."""

from collections.abc import Sequence

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.events import AsyncEvents
from guildhall_client.sending import OMITTED, Omitted
from guildhall_client.types.ai import (
    AgentAiHistory,
    AgentAiPrompt,
    AgentAiPromptSent,
    AiAgentAiPrompt,
    AiAgentReply,
    AiAgentReply2,
    AiChatReply,
    AiEchoReply,
    AiModel,
    AiModelRoles,
    ChatAiResponseFormat,
    ChatAiResponseFormatSent,
    SetModelRolesAiRoles,
)


class AsyncAi:
    """Calls of ai."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def agent(
        self,
        *,
        prompt: str | Sequence[AgentAiPrompt | AgentAiPromptSent | AiAgentAiPrompt],
        background: bool | Omitted = OMITTED,
        executor: str | Omitted = OMITTED,
        history: Sequence[AgentAiHistory] | Omitted = OMITTED,
        max_steps: int | Omitted = OMITTED,
        max_tokens: int | Omitted = OMITTED,
        model: str | Omitted = OMITTED,
        system: str | Omitted = OMITTED,
        tools: Sequence[str] | Omitted = OMITTED,
    ) -> AiAgentReply | AiAgentReply2:
        """A model in a loop with the team's tools; as server-sent events step, delta, then done or
        error.

        `background`: Answers 202 with a job; GET /api/jobs/:id/events follows it
        `executor`: An executor by name; needs instance:manage
        `history`: What was said before, oldest first; the server keeps no conversation
        `max_steps`: How many turns of the model may call tools; in each it may call several
        `max_tokens`: Of each turn
        `model`: A model by its name: see GET /api/models
        `prompt`: A text, or a list of parts
        `tools`: The tools to offer, by name; without it those that match the prompt best
        Needs chat:use.
        """
        reply: AiAgentReply | AiAgentReply2 = await self._api.call(
            "POST",
            "/api/agent",
            fields={
                "background": background,
                "executor": executor,
                "history": history,
                "max_steps": max_steps,
                "max_tokens": max_tokens,
                "model": model,
                "prompt": prompt,
                "system": system,
                "tools": tools,
            },
        )
        return reply

    def agent_stream(
        self,
        *,
        prompt: str | Sequence[AgentAiPrompt | AgentAiPromptSent | AiAgentAiPrompt],
        background: bool | Omitted = OMITTED,
        executor: str | Omitted = OMITTED,
        history: Sequence[AgentAiHistory] | Omitted = OMITTED,
        max_steps: int | Omitted = OMITTED,
        max_tokens: int | Omitted = OMITTED,
        model: str | Omitted = OMITTED,
        system: str | Omitted = OMITTED,
        tools: Sequence[str] | Omitted = OMITTED,
    ) -> AsyncEvents:
        """A model in a loop with the team's tools; as server-sent events step, delta, then done or
        error.

        `background`: Answers 202 with a job; GET /api/jobs/:id/events follows it
        `executor`: An executor by name; needs instance:manage
        `history`: What was said before, oldest first; the server keeps no conversation
        `max_steps`: How many turns of the model may call tools; in each it may call several
        `max_tokens`: Of each turn
        `model`: A model by its name: see GET /api/models
        `prompt`: A text, or a list of parts
        `tools`: The tools to offer, by name; without it those that match the prompt best
        Needs chat:use.
        """
        return AsyncEvents(
            self._api,
            "POST",
            "/api/agent",
            fields={
                "background": background,
                "executor": executor,
                "history": history,
                "max_steps": max_steps,
                "max_tokens": max_tokens,
                "model": model,
                "prompt": prompt,
                "system": system,
                "tools": tools,
            },
        )

    async def chat(
        self,
        *,
        prompt: str | Sequence[AgentAiPrompt | AgentAiPromptSent | AiAgentAiPrompt],
        background: bool | Omitted = OMITTED,
        executor: str | Omitted = OMITTED,
        history: Sequence[AgentAiHistory] | Omitted = OMITTED,
        max_tokens: int | Omitted = OMITTED,
        model: str | Omitted = OMITTED,
        response_format: ChatAiResponseFormat | ChatAiResponseFormatSent | Omitted = OMITTED,
        system: str | Omitted = OMITTED,
        temperature: float | Omitted = OMITTED,
    ) -> AiChatReply | AiAgentReply2:
        """One turn of a model; with background, a job that does it.

        `background`: Answers 202 with a job; GET /api/jobs/:id/events follows it
        `executor`: An executor by name; needs instance:manage
        `history`: What was said before, oldest first; the server keeps no conversation
        `model`: A model by its name: see GET /api/models
        `prompt`: A text, or a list of parts
        `response_format`: How the answer must be laid out, as OpenAI's API has it
        Needs chat:use.
        """
        reply: AiChatReply | AiAgentReply2 = await self._api.call(
            "POST",
            "/api/ai/chat",
            fields={
                "background": background,
                "executor": executor,
                "history": history,
                "max_tokens": max_tokens,
                "model": model,
                "prompt": prompt,
                "response_format": response_format,
                "system": system,
                "temperature": temperature,
            },
        )
        return reply

    def chat_stream(
        self,
        *,
        prompt: str | Sequence[AgentAiPrompt | AgentAiPromptSent | AiAgentAiPrompt],
        executor: str | Omitted = OMITTED,
        history: Sequence[AgentAiHistory] | Omitted = OMITTED,
        max_tokens: int | Omitted = OMITTED,
        model: str | Omitted = OMITTED,
        response_format: ChatAiResponseFormat | ChatAiResponseFormatSent | Omitted = OMITTED,
        system: str | Omitted = OMITTED,
        temperature: float | Omitted = OMITTED,
    ) -> AsyncEvents:
        """One turn of a model as server-sent events: delta, then done or error.

        `executor`: An executor by name; needs instance:manage
        `history`: What was said before, oldest first; the server keeps no conversation
        `model`: A model by its name: see GET /api/models
        `prompt`: A text, or a list of parts
        `response_format`: How the answer must be laid out, as OpenAI's API has it
        Needs chat:use.
        """
        return AsyncEvents(
            self._api,
            "POST",
            "/api/ai/chat/stream",
            fields={
                "executor": executor,
                "history": history,
                "max_tokens": max_tokens,
                "model": model,
                "prompt": prompt,
                "response_format": response_format,
                "system": system,
                "temperature": temperature,
            },
        )

    async def echo(self, *, text: str) -> AiEchoReply:
        """The text again, metered as a turn of a model would be.

        Needs chat:use.
        """
        reply: AiEchoReply = await self._api.call("POST", "/api/ai/echo", fields={"text": text})
        return reply

    async def model(self) -> AiModel:
        """The instance's own model, or that the simulated one is in its place."""
        reply: AiModel = await self._api.call("GET", "/api/ai/model")
        return reply

    async def model_roles(self) -> AiModelRoles:
        """The executor of each role, and the instance's default."""
        reply: AiModelRoles = await self._api.call("GET", "/api/model-roles")
        return reply

    async def set_model_roles(self, *, roles: SetModelRolesAiRoles) -> AiModelRoles:
        """Give roles to executors; null goes back to the instance's default.

        Needs settings:manage.
        """
        reply: AiModelRoles = await self._api.call("PUT", "/api/model-roles", fields={"roles": roles})
        return reply
