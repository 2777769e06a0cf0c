"""What the API says about conversations."""

from typing import Any, Literal, NotRequired, TypedDict


class ConversationMessageAuthor(TypedDict):
    id: str
    name: str


class ConversationMessageCitationPlace(TypedDict):
    heading: NotRequired[str]
    line: NotRequired[int]
    page: NotRequired[int]
    sheet: NotRequired[str]


class ConversationMessageCitation(TypedDict):
    id: str | None
    key: NotRequired[str]
    n: int
    place: ConversationMessageCitationPlace
    quote: str | None
    title: NotRequired[str]
    type: Literal["object", "note", "entity", "message"]
    version: NotRequired[int]


class ConversationMessageError(TypedDict):
    code: str
    message: str


class ConversationMessageJob(TypedDict):
    id: str


class ConversationMessageTool(TypedDict):
    #: How many parts of the answer were said before it
    after: NotRequired[int]
    #: null for others than who asked
    arguments: Any
    artifact: NotRequired[Any]
    #: The model read the beginning alone
    cut: NotRequired[bool]
    error: NotRequired[ConversationMessageError]
    name: str
    #: null for others than who asked
    result: Any
    state: Literal["queued", "waiting", "allowed", "running", "done", "failed", "denied", "stopped"]


class ConversationMessage(TypedDict):
    #: What an answer was asked with, for who asked: sources, tools, model …
    asked: Any
    #: Who wrote it, or asked for it
    author: ConversationMessageAuthor
    citations: list[ConversationMessageCitation]
    created_at: str
    error: ConversationMessageError | None
    finish_reason: str | None
    id: str
    job: ConversationMessageJob | None
    model: str | None
    parent_id: str | None
    parts: list[Any]
    reasoning: str | None
    role: Literal["user", "assistant"]
    #: The messages that stand at this place, this one among them
    siblings: list[str]
    state: Literal["queued", "running", "waiting", "done", "stopped", "failed"]
    tools: list[ConversationMessageTool]
    usage: Any


class Conversation(TypedDict):
    created_at: str
    current_id: str | None
    earlier: str | None
    folder_id: str | None
    id: str
    #: The event behind which this was read
    last_event_id: str
    message_count: int
    #: The end of the current branch, oldest first
    messages: list[ConversationMessage]
    model: str | None
    owner: ConversationMessageAuthor
    permissions: list[Literal["edit", "manage", "view"]]
    pinned: bool
    system: str | None
    team_id: str
    title: str
    updated_at: str


class ListedConversation(TypedDict):
    created_at: str
    current_id: str | None
    folder_id: str | None
    id: str
    message_count: int
    model: str | None
    owner: ConversationMessageAuthor
    permissions: list[Literal["edit", "manage", "view"]]
    pinned: bool
    system: str | None
    team_id: str
    title: str
    updated_at: str


class ListedConversationPage(TypedDict):
    items: list[ListedConversation]
    next_cursor: str | None


class CreateConversationMessage(TypedDict):
    role: Literal["user", "assistant"]
    text: str


class ConversationCreateMessageReply(TypedDict):
    job: ConversationMessageJob | None
    message: ConversationMessage


class CreateMessageConversationPrompt(TypedDict):
    text: str
    type: Literal["text"]


class CreateMessageConversationPromptImageUrl(TypedDict):
    detail: NotRequired[Literal["auto", "low", "high"]]
    #: The picture itself as a data: address
    url: str


class CreateMessageConversationPromptSent(TypedDict):
    image_url: CreateMessageConversationPromptImageUrl
    type: Literal["image_url"]


class ConversationCreateMessageConversationPrompt(TypedDict):
    #: What it is called here
    name: NotRequired[str]
    object_id: str
    type: Literal["object"]


class CreateMessageConversationResponseFormat(TypedDict):
    type: Literal["text", "json_object"]


class CreateMessageConversationResponseFormatJsonSchema(TypedDict):
    name: str
    #: JSON Schema 2020-12 without recursion
    schema: Any


class CreateMessageConversationResponseFormatSent(TypedDict):
    json_schema: CreateMessageConversationResponseFormatJsonSchema
    type: Literal["json_schema"]


class CreateMessageConversationSource(TypedDict):
    id: NotRequired[str]
    #: Of a folder or an object
    key: NotRequired[str]
    type: Literal["folder", "object", "note", "entity"]


class ConversationShareReplyItem(TypedDict):
    #: edit: go on with it
    capability: Literal["view", "edit"]
    expired: bool
    expires_at: str | None
    granted_at: str
    granted_by: str
    granted_by_name: str
    name: str
    permissions: list[str]
    principal_id: str
    principal_type: Literal["user", "team"]


class ConversationShareReply(TypedDict):
    items: list[ConversationShareReplyItem]
    next_cursor: str | None


class ConversationStopMessageReply(TypedDict):
    message: ConversationMessage


class ConversationMessagePage(TypedDict):
    items: list[ConversationMessage]
    next_cursor: str | None


__all__ = [
    "Conversation",
    "ConversationCreateMessageConversationPrompt",
    "ConversationCreateMessageReply",
    "ConversationMessage",
    "ConversationMessageAuthor",
    "ConversationMessageCitation",
    "ConversationMessageCitationPlace",
    "ConversationMessageError",
    "ConversationMessageJob",
    "ConversationMessagePage",
    "ConversationMessageTool",
    "ConversationShareReply",
    "ConversationShareReplyItem",
    "ConversationStopMessageReply",
    "CreateConversationMessage",
    "CreateMessageConversationPrompt",
    "CreateMessageConversationPromptImageUrl",
    "CreateMessageConversationPromptSent",
    "CreateMessageConversationResponseFormat",
    "CreateMessageConversationResponseFormatJsonSchema",
    "CreateMessageConversationResponseFormatSent",
    "CreateMessageConversationSource",
    "ListedConversation",
    "ListedConversationPage",
]
