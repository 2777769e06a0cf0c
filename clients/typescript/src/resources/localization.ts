/** The rows of localization. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  LocalizationCatalog,
  LocalizationCoverage,
  LocalizationCoveragePage,
  LocalizationDiscardReply,
  LocalizationDraftReply,
  LocalizationExportMessagesReply,
  LocalizationHistory,
  LocalizationHistoryPage,
  LocalizationImportMessagesReply,
  LocalizationReviewReply,
  LocalizationReviewReplyPage,
  LocalizationSetMessageReply,
  LocalizationSetPolicyReply,
} from "../types/localization.js";

/** The query of `localization.catalog`. */
export interface CatalogLocalizationQuery {
  /** A language tag, such as nl-BE */
  locale?: string;
}

/** The query of `localization.coverage`. */
export interface CoverageLocalizationQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `localization.discard`. */
export interface DiscardLocalizationBody {
  /** A language tag, such as nl or nl-BE */
  locale: string;
}

/** The body of `localization.draft`. */
export interface DraftLocalizationBody {
  /** A language tag, such as nl or nl-BE */
  locale: string;
}

/** The body of `localization.exportMessages`. */
export interface ExportMessagesLocalizationBody {
  /** A language tag, such as nl or nl-BE */
  locale: string;
}

/** The query of `localization.history`. */
export interface HistoryLocalizationQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `localization.importMessages`. */
export interface ImportMessagesLocalizationBody {
  /** One language, which may be a new one; without it, all */
  locale?: string;
}

/** The query of `localization.messages`. */
export interface MessagesLocalizationQuery {
  /** How many items at the most */
  limit?: number;
  /** A language tag, such as nl or nl-BE */
  locale?: string;
  status?: "missing" | "machine" | "submitted" | "returned" | "approved" | "stale";
  /** What stands before the first dot of a key */
  ns?: string;
  /** Stands in the key, the source or the text; case does not matter */
  q?: string;
}

/** The body of `localization.review`. */
export interface ReviewLocalizationBody {
  action: "approve" | "return";
  comment?: string | null;
}

/** The body of `localization.setMessage`. */
export interface SetMessageLocalizationBody {
  /** An ICU message */
  text: string;
}

/** The body of `localization.setPolicy`. */
export interface SetPolicyLocalizationBody {
  /** A language tag, such as nl-BE */
  default_locale?: string;
  switching?: boolean;
}

/** Calls of localization. */
export class Localization {
  constructor(private readonly http: Http) {}

  /** The texts of all screens in one language, each from the first of its chain that has it. */
  catalog(query: CatalogLocalizationQuery = {}): Promise<LocalizationCatalog> {
    return this.http.call("GET", "/api/i18n/catalog", { query });
  }

  /**
   * How many messages of each language have which status.
   * Needs localization:read.
   */
  coverage(query: CoverageLocalizationQuery = {}): Pages<LocalizationCoverage, LocalizationCoveragePage> {
    return new Pages(this.http, "/api/l10n/coverage", query);
  }

  /**
   * Remove the machine drafts of a language.
   * Needs localization:manage.
   */
  discard(body: DiscardLocalizationBody): Promise<LocalizationDiscardReply> {
    return this.http.call("POST", "/api/l10n/discard", { body });
  }

  /**
   * Queue machine drafts for the next missing messages of a language.
   * Needs localization:manage.
   */
  draft(body: DraftLocalizationBody): Promise<LocalizationDraftReply> {
    return this.http.call("POST", "/api/l10n/draft", { body });
  }

  /**
   * Write the approved texts of a language into its catalog file.
   * Needs localization:manage.
   */
  exportMessages(body: ExportMessagesLocalizationBody): Promise<LocalizationExportMessagesReply> {
    return this.http.call("POST", "/api/l10n/export", { body });
  }

  /**
   * What happened to a message, newest first.
   * Needs localization:read.
   */
  history(id: string, query: HistoryLocalizationQuery = {}): Pages<LocalizationHistory, LocalizationHistoryPage> {
    return new Pages(this.http, `/api/l10n/messages/${segment(id)}/history`, query);
  }

  /**
   * Load the catalogs on disk; nobody's own work is replaced.
   * Needs localization:manage.
   */
  importMessages(body: ImportMessagesLocalizationBody = {}): Promise<LocalizationImportMessagesReply> {
    return this.http.call("POST", "/api/l10n/import", { body });
  }

  /**
   * The messages of a language, by key.
   * Needs localization:read.
   */
  messages(query: MessagesLocalizationQuery = {}): Pages<LocalizationReviewReply, LocalizationReviewReplyPage> {
    return new Pages(this.http, "/api/l10n/messages", query);
  }

  /**
   * Approve a translation or return it; not one's own.
   * Needs localization:review.
   */
  review(id: string, body: ReviewLocalizationBody): Promise<LocalizationReviewReply> {
    return this.http.call("POST", `/api/l10n/review/${segment(id)}`, { body });
  }

  /**
   * Submit a translation, for somebody else to review.
   * Needs localization:translate.
   */
  setMessage(id: string, body: SetMessageLocalizationBody): Promise<LocalizationSetMessageReply> {
    return this.http.call("PUT", `/api/l10n/messages/${segment(id)}`, { body });
  }

  /**
   * Set the default language, and whether people may choose another.
   * Needs instance:manage.
   */
  setPolicy(body: SetPolicyLocalizationBody = {}): Promise<LocalizationSetPolicyReply> {
    return this.http.call("PUT", "/api/i18n", { body });
  }
}
