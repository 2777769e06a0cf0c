/** The rows of search. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import type { SearchHit, SearchHitPage } from "../types/search.js";

/** The query of `search.list`. */
export interface ListSearchHitQuery {
  /** How many items at the most */
  limit?: number;
  /** Words, all of which must be there; "a phrase"; -without. The last word may be a beginning */
  q?: string;
  /** Only this type: note, object, entity */
  type?: string;
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
  /** How to find; without it hybrid where there are embeddings, else words */
  mode?: "words" | "meaning" | "hybrid";
}

/** Calls of search. */
export class Search {
  constructor(private readonly http: Http) {}

  /**
   * What the caller may read, by the words in it, best first; scope=org spans the company.
   * Needs search.
   */
  list(query: ListSearchHitQuery = {}): Pages<SearchHit, SearchHitPage> {
    return new Pages(this.http, "/api/search", query);
  }
}
