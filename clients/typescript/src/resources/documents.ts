/** The rows of documents. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Document, ListedDocument, ListedDocumentPage } from "../types/documents.js";

/** The body of `documents.create`. */
export interface CreateDocumentBody {
  body?: string;
  title: string;
  /** private: the owner alone; shared: also whom it was granted to; team: also the team */
  visibility?: "private" | "shared" | "team";
}

/** The query of `documents.list`. */
export interface ListDocumentQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `documents.update`. */
export interface UpdateDocumentBody {
  body?: string;
  title?: string;
  /** private: the owner alone; shared: also whom it was granted to; team: also the team */
  visibility?: "private" | "shared" | "team";
}

/** Calls of documents. */
export class Documents {
  constructor(private readonly http: Http) {}

  /**
   * Create a text document, private unless told otherwise.
   * Needs files:write.
   */
  create(body: CreateDocumentBody): Promise<Document> {
    return this.http.call("POST", "/api/documents", { body });
  }

  /**
   * Delete a text document with all its versions.
   * Needs files:delete.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/documents/${segment(id)}`);
  }

  /**
   * One text document with its body.
   * Needs files:read.
   */
  get(id: string): Promise<Document> {
    return this.http.call("GET", `/api/documents/${segment(id)}`);
  }

  /**
   * The text documents that the caller can read, newest first and without their bodies.
   * Needs files:read.
   */
  list(query: ListDocumentQuery = {}): Pages<ListedDocument, ListedDocumentPage> {
    return new Pages(this.http, "/api/documents", query);
  }

  /**
   * Change a text document; every change is a new version, and what is left out stays as it is.
   * Needs files:write.
   */
  update(id: string, body: UpdateDocumentBody = {}): Promise<Document> {
    return this.http.call("PUT", `/api/documents/${segment(id)}`, { body });
  }
}
