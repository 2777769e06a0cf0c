/** What the API says about localization. */

export interface LocalizationCatalog {
  /** Where each text is looked for, in this order */
  chain: string[];
  /** The language that was asked for, or the default */
  locale: string;
  /** ICU messages by key */
  messages: Record<string, unknown>;
}

export interface LocalizationDiscardReply {
  discarded: number;
}

export interface LocalizationDraftReply {
  jobs: string[];
  /** Messages that a job was queued for, at most 20 */
  queued: number;
  /** Missing messages that no job is under way for */
  remaining: number;
}

export interface LocalizationExportMessagesReply {
  locale: string;
  written: number;
}

export interface LocalizationImportMessagesReply {
  imported: number;
  stale: number;
  updated: number;
}

export interface LocalizationReviewReply {
  approved_text: string | null;
  comment: string | null;
  id: string;
  key: string;
  locale: string;
  ns: string;
  origin: "file" | "machine" | "human" | null;
  previous_source: string | null;
  problem: string | null;
  reviewed_by: string | null;
  source: string;
  status: "missing" | "machine" | "submitted" | "returned" | "approved" | "stale";
  submitted_by: string | null;
  text: string | null;
  updated_at: string;
  /** What If-Match names, in quotes: "3" */
  version: number;
}

export interface LocalizationSetMessageReplyWarning {
  code: string;
  message: string;
}

export interface LocalizationSetMessageReply {
  approved_text: string | null;
  comment: string | null;
  id: string;
  key: string;
  locale: string;
  ns: string;
  origin: "file" | "machine" | "human" | null;
  previous_source: string | null;
  problem: string | null;
  reviewed_by: string | null;
  source: string;
  status: "missing" | "machine" | "submitted" | "returned" | "approved" | "stale";
  submitted_by: string | null;
  text: string | null;
  updated_at: string;
  /** What If-Match names, in quotes: "3" */
  version: number;
  warnings: LocalizationSetMessageReplyWarning[];
}

export interface LocalizationSetPolicyReplyLocale {
  code: string;
  dir: "ltr" | "rtl";
  name: string;
}

export interface LocalizationSetPolicyReply {
  default_locale: string;
  locales: LocalizationSetPolicyReplyLocale[];
  /** Whether people may choose another language than the default */
  switching: boolean;
}

export interface LocalizationCoverage {
  approved: number;
  locale: string;
  machine: number;
  missing: number;
  returned: number;
  stale: number;
  submitted: number;
  total: number;
}

export interface LocalizationCoveragePage {
  items: LocalizationCoverage[];
  next_cursor: string | null;
}

export interface LocalizationHistoryBy {
  id: string;
  name: string;
}

export interface LocalizationHistory {
  action: string;
  at: string;
  by: LocalizationHistoryBy | null;
  comment: string | null;
  text: string | null;
  version: number;
}

export interface LocalizationHistoryPage {
  items: LocalizationHistory[];
  next_cursor: string | null;
}

export interface LocalizationReviewReplyPage {
  items: LocalizationReviewReply[];
  next_cursor: string | null;
}
