/** The rows of conversations. */

import type { Http } from "../http.js";
import { Events } from "../events.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  Conversation,
  ConversationCreateMessageConversationPrompt,
  ConversationCreateMessageReply,
  ConversationMessage,
  ConversationMessagePage,
  ConversationShareReply,
  ConversationShareReplyItem,
  ConversationStopMessageReply,
  CreateConversationMessage,
  CreateMessageConversationPrompt,
  CreateMessageConversationPromptSent,
  CreateMessageConversationResponseFormat,
  CreateMessageConversationResponseFormatSent,
  CreateMessageConversationSource,
  ListedConversation,
  ListedConversationPage,
} from "../types/conversations.js";

/** The body of `conversations.create`. */
export interface CreateConversationBody {
  folder_id?: string | null;
  /** What was said elsewhere, oldest first */
  messages?: CreateConversationMessage[];
  model?: string | null;
  /** Pinned ones stand first in the list */
  pinned?: boolean;
  system?: string | null;
  /** Empty, it is made of the first question */
  title?: string;
}

/** The body of `conversations.createMessage`. */
export interface CreateMessageConversationBody {
  /** By name; needs instance:manage */
  executor?: string;
  /** A model by its name: see GET /api/models */
  model?: string;
  parent_id?: string | null;
  prompt:
    | string
    | (CreateMessageConversationPrompt
    | CreateMessageConversationPromptSent
    | ConversationCreateMessageConversationPrompt)[];
  /** How the answer must be laid out; with tools it is as the model likes */
  response_format?: CreateMessageConversationResponseFormat | CreateMessageConversationResponseFormatSent;
  /** Where passages are looked for that the answer is made of, and that it cites */
  sources?: "workspace" | CreateMessageConversationSource[];
  temperature?: number;
  /** Tools that the model may call; one that writes waits for a confirmation */
  tools?: "auto" | string[];
}

/** The query of `conversations.export`. */
export interface ExportConversationQuery {
  format?: "md" | "json";
}

/** The body of `conversations.fork`. */
export interface ForkConversationBody {
  message_id: string;
}

/** The query of `conversations.grants`. */
export interface GrantsConversationQuery {
  /** How many items at the most */
  limit?: number;
}

/** The query of `conversations.list`. */
export interface ListConversationQuery {
  /** How many items at the most */
  limit?: number;
  /** Words of the title or of a message */
  q?: string;
  /** Those in this folder of one's own */
  folder?: string;
  /** 1: only what others share with the caller */
  shared?: boolean;
}

/** The query of `conversations.messages`. */
export interface MessagesConversationQuery {
  /** How many items at the most */
  limit?: number;
  /** Only the branch that ends with this message, the newest first page */
  branch?: string;
}

/** The body of `conversations.messagesTool`. */
export interface MessagesToolConversationBody {
  /** always: this tool needs no more asking in this conversation */
  decision: "once" | "always" | "deny";
}

/** The body of `conversations.regenerateMessage`. */
export interface RegenerateMessageConversationBody {
  /** A model by its name: see GET /api/models */
  model?: string;
  /** Where passages are looked for that the answer is made of, and that it cites */
  sources?: "workspace" | CreateMessageConversationSource[];
  /** Tools that the model may call; one that writes waits for a confirmation */
  tools?: "auto" | string[];
}

/** The body of `conversations.share`. */
export interface ShareConversationBody {
  /** edit: go on with it */
  capability?: "view" | "edit";
  expires_at?: string | null;
  principal_id?: string;
  principal_type?: "user" | "team";
  user_id?: string;
}

/** The body of `conversations.unshare`. */
export interface UnshareConversationBody {
  principal_id?: string;
  principal_type?: "user" | "team";
  user_id?: string;
}

/** The body of `conversations.update`. */
export interface UpdateConversationBody {
  /** A message whose branch is shown from now on */
  current_id?: string;
  folder_id?: string | null;
  model?: string | null;
  /** Pinned ones stand first in the list */
  pinned?: boolean;
  system?: string | null;
  /** Empty, it is made of the first question */
  title?: string;
}

/** Calls of conversations. */
export class Conversations {
  constructor(private readonly http: Http) {}

  /**
   * Begin a conversation.
   * Needs chat:use.
   */
  create(body: CreateConversationBody = {}): Promise<Conversation> {
    return this.http.call("POST", "/api/conversations", { body });
  }

  /**
   * Ask something; the answer to come is written in the background.
   * Needs chat:use.
   */
  createMessage(id: string, body: CreateMessageConversationBody): Promise<ConversationCreateMessageReply> {
    return this.http.call("POST", `/api/conversations/${segment(id)}/messages`, { body });
  }

  /**
   * Delete a conversation with its messages.
   * Needs chat:use.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/conversations/${segment(id)}`);
  }

  /**
   * What happens in a conversation as server-sent events: message, delta, tool, status and done.
   * Needs chat:use.
   */
  events(id: string): Events {
    return new Events(this.http, "GET", `/api/conversations/${segment(id)}/events`);
  }

  /**
   * A conversation as a file: its current branch as Markdown, or all of it as JSON.
   * Needs chat:use.
   */
  export(id: string, query: ExportConversationQuery = {}): Promise<string> {
    return this.http.call("GET", `/api/conversations/${segment(id)}/export`, { query });
  }

  /**
   * Begin a conversation of one's own with the branch up to a message.
   * Needs chat:use.
   */
  fork(id: string, body: ForkConversationBody): Promise<Conversation> {
    return this.http.call("POST", `/api/conversations/${segment(id)}/fork`, { body });
  }

  /**
   * A conversation with its current branch.
   * Needs chat:use.
   */
  get(id: string): Promise<Conversation> {
    return this.http.call("GET", `/api/conversations/${segment(id)}`);
  }

  /**
   * Whom a conversation is shared with, the expired too.
   * Needs chat:use.
   */
  grants(id: string, query: GrantsConversationQuery = {}): Pages<ConversationShareReplyItem, ConversationShareReply> {
    return new Pages(this.http, `/api/conversations/${segment(id)}/grants`, query);
  }

  /**
   * One's own conversations, pinned ones first, or those that others share.
   * Needs chat:use.
   */
  list(query: ListConversationQuery = {}): Pages<ListedConversation, ListedConversationPage> {
    return new Pages(this.http, "/api/conversations", query);
  }

  /**
   * All messages of a conversation, in the order in which they were written, or those of a branch.
   * Needs chat:use.
   */
  messages(id: string, query: MessagesConversationQuery = {}): Pages<ConversationMessage, ConversationMessagePage> {
    return new Pages(this.http, `/api/conversations/${segment(id)}/messages`, query);
  }

  /**
   * Confirm or refuse a call of a tool that writes.
   * Needs chat:use.
   */
  messagesTool(
    id: string,
    message: string,
    number: number,
    body: MessagesToolConversationBody,
  ): Promise<ConversationCreateMessageReply> {
    return this.http.call("POST", `/api/conversations/${segment(id)}/messages/${segment(message)}/tools/${segment(number)}`, { body });
  }

  /**
   * Have an answer written once more, beside the one that there is.
   * Needs chat:use.
   */
  regenerateMessage(
    id: string,
    message: string,
    body: RegenerateMessageConversationBody = {},
  ): Promise<ConversationCreateMessageReply> {
    return this.http.call("POST", `/api/conversations/${segment(id)}/messages/${segment(message)}/regenerate`, { body });
  }

  /**
   * Let somebody, or a team, read a conversation or go on with it; a second time changes it.
   * Needs chat:use.
   */
  share(id: string, body: ShareConversationBody = {}): Promise<ConversationShareReply> {
    return this.http.call("POST", `/api/conversations/${segment(id)}/share`, { body });
  }

  /**
   * Stop an answer; what it has said until then is kept.
   * Needs chat:use.
   */
  stopMessage(id: string, message: string): Promise<ConversationStopMessageReply> {
    return this.http.call("POST", `/api/conversations/${segment(id)}/messages/${segment(message)}/stop`);
  }

  /**
   * Share a conversation with somebody, or a team, no more.
   * Needs chat:use.
   */
  unshare(id: string, body: UnshareConversationBody = {}): Promise<ConversationShareReply> {
    return this.http.call("POST", `/api/conversations/${segment(id)}/unshare`, { body });
  }

  /**
   * Rename, file or pin a conversation, or show another branch; what is left out stays.
   * Needs chat:use.
   */
  update(id: string, body: UpdateConversationBody = {}): Promise<Conversation> {
    return this.http.call("PATCH", `/api/conversations/${segment(id)}`, { body });
  }
}
