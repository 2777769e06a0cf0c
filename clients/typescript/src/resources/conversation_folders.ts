/** The rows of conversation folders. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { ConversationFolder, ConversationFolderPage } from "../types/conversation_folders.js";

/** The body of `conversationFolders.create`. */
export interface CreateConversationFolderBody {
  name: string;
}

/** The query of `conversationFolders.list`. */
export interface ListConversationFolderQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `conversationFolders.update`. */
export interface UpdateConversationFolderBody {
  name: string;
}

/** Calls of conversation folders. */
export class ConversationFolders {
  constructor(private readonly http: Http) {}

  /**
   * Make a folder of conversations.
   * Needs chat:use.
   */
  create(body: CreateConversationFolderBody): Promise<ConversationFolder> {
    return this.http.call("POST", "/api/conversation-folders", { body });
  }

  /**
   * Delete a folder; what is in it stays.
   * Needs chat:use.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/conversation-folders/${segment(id)}`);
  }

  /**
   * A folder of conversations.
   * Needs chat:use.
   */
  get(id: string): Promise<ConversationFolder> {
    return this.http.call("GET", `/api/conversation-folders/${segment(id)}`);
  }

  /**
   * One's own folders of conversations.
   * Needs chat:use.
   */
  list(query: ListConversationFolderQuery = {}): Pages<ConversationFolder, ConversationFolderPage> {
    return new Pages(this.http, "/api/conversation-folders", query);
  }

  /**
   * Rename a folder of conversations.
   * Needs chat:use.
   */
  update(id: string, body: UpdateConversationFolderBody): Promise<ConversationFolder> {
    return this.http.call("PATCH", `/api/conversation-folders/${segment(id)}`, { body });
  }
}
