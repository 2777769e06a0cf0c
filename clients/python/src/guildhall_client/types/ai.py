"""What the API says about ai."""

from typing import Any, Literal, NotRequired, TypedDict


class AiAgentReplyStepArtifact(TypedDict):
    kind: str
    title: str


class AiAgentReplyStepError(TypedDict):
    code: str
    message: str


class AiAgentReplyStep(TypedDict):
    #: What the tool was given; as the model wrote it where that is no JSON
    arguments: Any
    artifact: NotRequired[AiAgentReplyStepArtifact]
    #: The model read a part of the result
    cut: NotRequired[bool]
    error: NotRequired[AiAgentReplyStepError]
    result: NotRequired[Any]
    tool: str


class AiAgentReplyUsage(TypedDict):
    completion_tokens: int
    #: There where the model did not count
    estimated: NotRequired[bool]
    prompt_tokens: int
    total_tokens: int


class AiAgentReply(TypedDict):
    executor: str
    model: str
    #: Enabled tools that match the prompt less well
    not_offered: NotRequired[list[str]]
    reply: str
    simulated: bool
    steps: list[AiAgentReplyStep]
    #: The limit that ended it
    stopped: NotRequired[Literal["max_steps", "max_tokens", "max_seconds"]]
    usage: AiAgentReplyUsage


class AiAgentReply2(TypedDict):
    id: str
    kind: str
    state: str


class AgentAiHistory(TypedDict):
    role: Literal["user", "assistant"]
    text: str


class AgentAiPrompt(TypedDict):
    text: str
    type: Literal["text"]


class AgentAiPromptImageUrl(TypedDict):
    detail: NotRequired[Literal["auto", "low", "high"]]
    #: The picture itself as a data: address; one by http where the operator lets it be fetched
    url: str


class AgentAiPromptSent(TypedDict):
    image_url: AgentAiPromptImageUrl
    type: Literal["image_url"]


class AiAgentAiPrompt(TypedDict):
    object_id: str
    type: Literal["object"]


class AiChatReply(TypedDict):
    executor: str
    finish_reason: str
    model: str
    #: The reply as a value, where response_format asked for JSON
    parsed: NotRequired[Any]
    #: What the model said to itself, where it did
    reasoning: NotRequired[str]
    #: It took a second turn to fit response_format
    repaired: NotRequired[bool]
    reply: str
    simulated: bool
    usage: AiAgentReplyUsage


class ChatAiResponseFormat(TypedDict):
    type: Literal["text", "json_object"]


class ChatAiResponseFormatJsonSchema(TypedDict):
    description: NotRequired[str]
    name: str
    #: JSON Schema 2020-12 without recursion
    schema: Any
    strict: NotRequired[bool]


class ChatAiResponseFormatSent(TypedDict):
    json_schema: ChatAiResponseFormatJsonSchema
    type: Literal["json_schema"]


class AiEchoReply(TypedDict):
    text: str
    usage: AiAgentReplyUsage


class AiModelHealth(TypedDict):
    checked_at: str | None
    detail: str | None
    status: Literal["ok", "down", "unknown"]


class AiModel(TypedDict):
    executor: str
    health: AiModelHealth
    model: str
    simulated: bool
    url: str | None


class AiModelRolesDefault(TypedDict):
    embedding: NotRequired[str]
    utility: str


class AiModelRolesRoles(TypedDict):
    embedding: NotRequired[str | None]
    utility: str | None


class AiModelRoles(TypedDict):
    default: AiModelRolesDefault
    roles: AiModelRolesRoles


class SetModelRolesAiRoles(TypedDict):
    embedding: NotRequired[str | None]
    utility: NotRequired[str | None]


__all__ = [
    "AgentAiHistory",
    "AgentAiPrompt",
    "AgentAiPromptImageUrl",
    "AgentAiPromptSent",
    "AiAgentAiPrompt",
    "AiAgentReply",
    "AiAgentReply2",
    "AiAgentReplyStep",
    "AiAgentReplyStepArtifact",
    "AiAgentReplyStepError",
    "AiAgentReplyUsage",
    "AiChatReply",
    "AiEchoReply",
    "AiModel",
    "AiModelHealth",
    "AiModelRoles",
    "AiModelRolesDefault",
    "AiModelRolesRoles",
    "ChatAiResponseFormat",
    "ChatAiResponseFormatJsonSchema",
    "ChatAiResponseFormatSent",
    "SetModelRolesAiRoles",
]
