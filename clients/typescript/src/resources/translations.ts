/** The rows of translations. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  CreatedTranslation,
  Translation,
  TranslationCatalogReply,
  TranslationPage,
} from "../types/translations.js";

/** The body of `translations.catalog`. */
export interface CatalogTranslationBody {
  /** ICU messages by key */
  messages: Record<string, string>;
  /** The language tag of what is sent; without it the model looks */
  source?: string;
  /** A language tag, such as nl or nl-BE */
  target: string;
}

/** The body of `translations.create`. */
export interface CreateTranslationBody {
  /** The language tag of what is sent; without it the model looks */
  source?: string;
  /** A language tag, such as nl or nl-BE */
  target: string;
  text: string;
}

/** The query of `translations.list`. */
export interface ListTranslationQuery {
  /** How many items at the most */
  limit?: number;
}

/** Calls of translations. */
export class Translations {
  constructor(private readonly http: Http) {}

  /**
   * The messages of a catalog in another language, with their placeholders.
   * Needs chat:use.
   */
  catalog(body: CatalogTranslationBody): Promise<TranslationCatalogReply> {
    return this.http.call("POST", "/api/translate/catalog", { body });
  }

  /**
   * A text in another language, by the team's glossary.
   * Needs chat:use.
   */
  create(body: CreateTranslationBody): Promise<CreatedTranslation> {
    return this.http.call("POST", "/api/translate", { body });
  }

  /**
   * Take a translation of one's own out of the history.
   * Needs chat:use.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/translate/${segment(id)}`);
  }

  /**
   * The team's translations, newest first; texts are shown to whoever asked for them.
   * Needs chat:use.
   */
  list(query: ListTranslationQuery = {}): Pages<Translation, TranslationPage> {
    return new Pages(this.http, "/api/translate", query);
  }
}
