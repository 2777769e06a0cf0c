/** What the API says about conversations. */

export interface ConversationMessageAuthor {
  id: string;
  name: string;
}

export interface ConversationMessageCitationPlace {
  heading?: string;
  line?: number;
  page?: number;
  sheet?: string;
}

export interface ConversationMessageCitation {
  id: string | null;
  key?: string;
  n: number;
  place: ConversationMessageCitationPlace;
  quote: string | null;
  title?: string;
  type: "object" | "note" | "entity" | "message";
  version?: number;
}

export interface ConversationMessageError {
  code: string;
  message: string;
}

export interface ConversationMessageJob {
  id: string;
}

export interface ConversationMessageTool {
  /** How many parts of the answer were said before it */
  after?: number;
  /** null for others than who asked */
  arguments: unknown;
  artifact?: unknown;
  /** The model read the beginning alone */
  cut?: boolean;
  error?: ConversationMessageError;
  name: string;
  /** null for others than who asked */
  result: unknown;
  state: "queued" | "waiting" | "allowed" | "running" | "done" | "failed" | "denied" | "stopped";
}

export interface ConversationMessage {
  /** What an answer was asked with, for who asked: sources, tools, model … */
  asked: unknown;
  /** Who wrote it, or asked for it */
  author: ConversationMessageAuthor;
  citations: ConversationMessageCitation[];
  created_at: string;
  error: ConversationMessageError | null;
  finish_reason: string | null;
  id: string;
  job: ConversationMessageJob | null;
  model: string | null;
  parent_id: string | null;
  parts: unknown[];
  reasoning: string | null;
  role: "user" | "assistant";
  /** The messages that stand at this place, this one among them */
  siblings: string[];
  state: "queued" | "running" | "waiting" | "done" | "stopped" | "failed";
  tools: ConversationMessageTool[];
  usage: unknown;
}

export interface Conversation {
  created_at: string;
  current_id: string | null;
  earlier: string | null;
  folder_id: string | null;
  id: string;
  /** The event behind which this was read */
  last_event_id: string;
  message_count: number;
  /** The end of the current branch, oldest first */
  messages: ConversationMessage[];
  model: string | null;
  owner: ConversationMessageAuthor;
  permissions: ("edit" | "manage" | "view")[];
  pinned: boolean;
  system: string | null;
  team_id: string;
  title: string;
  updated_at: string;
}

export interface ListedConversation {
  created_at: string;
  current_id: string | null;
  folder_id: string | null;
  id: string;
  message_count: number;
  model: string | null;
  owner: ConversationMessageAuthor;
  permissions: ("edit" | "manage" | "view")[];
  pinned: boolean;
  system: string | null;
  team_id: string;
  title: string;
  updated_at: string;
}

export interface ListedConversationPage {
  items: ListedConversation[];
  next_cursor: string | null;
}

export interface CreateConversationMessage {
  role: "user" | "assistant";
  text: string;
}

export interface ConversationCreateMessageReply {
  job: ConversationMessageJob | null;
  message: ConversationMessage;
}

export interface CreateMessageConversationPrompt {
  text: string;
  type: "text";
}

export interface CreateMessageConversationPromptImageUrl {
  detail?: "auto" | "low" | "high";
  /** The picture itself as a data: address */
  url: string;
}

export interface CreateMessageConversationPromptSent {
  image_url: CreateMessageConversationPromptImageUrl;
  type: "image_url";
}

export interface ConversationCreateMessageConversationPrompt {
  /** What it is called here */
  name?: string;
  object_id: string;
  type: "object";
}

export interface CreateMessageConversationResponseFormat {
  type: "text" | "json_object";
}

export interface CreateMessageConversationResponseFormatJsonSchema {
  name: string;
  /** JSON Schema 2020-12 without recursion */
  schema: unknown;
}

export interface CreateMessageConversationResponseFormatSent {
  json_schema: CreateMessageConversationResponseFormatJsonSchema;
  type: "json_schema";
}

export interface CreateMessageConversationSource {
  id?: string;
  /** Of a folder or an object */
  key?: string;
  type: "folder" | "object" | "note" | "entity";
}

export interface ConversationShareReplyItem {
  /** edit: go on with it */
  capability: "view" | "edit";
  expired: boolean;
  expires_at: string | null;
  granted_at: string;
  granted_by: string;
  granted_by_name: string;
  name: string;
  permissions: string[];
  principal_id: string;
  principal_type: "user" | "team";
}

export interface ConversationShareReply {
  items: ConversationShareReplyItem[];
  next_cursor: string | null;
}

export interface ConversationStopMessageReply {
  message: ConversationMessage;
}

export interface ConversationMessagePage {
  items: ConversationMessage[];
  next_cursor: string | null;
}
