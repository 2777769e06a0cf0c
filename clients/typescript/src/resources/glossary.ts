/** The rows of glossary. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { GlossaryTerm, GlossaryTermPage } from "../types/glossary.js";

/** The query of `glossary.list`. */
export interface ListGlossaryTermQuery {
  /** How many items at the most */
  limit?: number;
  /** A language tag, such as nl or nl-BE */
  target?: string;
}

/** The body of `glossary.set`. */
export interface SetGlossaryTermBody {
  note?: string | null;
  /** A language tag, such as nl or nl-BE */
  target: string;
  term: string;
  translation: string;
}

/** Calls of glossary. */
export class Glossary {
  constructor(private readonly http: Http) {}

  /**
   * Take a term out of the glossary.
   * Needs settings:manage.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/glossary/${segment(id)}`);
  }

  /**
   * The team's glossary, newest terms first.
   * Needs chat:use.
   */
  list(query: ListGlossaryTermQuery = {}): Pages<GlossaryTerm, GlossaryTermPage> {
    return new Pages(this.http, "/api/glossary", query);
  }

  /**
   * Add a term for a target language, or change it.
   * Needs settings:manage.
   */
  set(body: SetGlossaryTermBody): Promise<GlossaryTerm> {
    return this.http.call("POST", "/api/glossary", { body });
  }
}
