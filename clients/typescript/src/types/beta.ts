/** What the API says about beta. */

export interface BetaChallenge {
  algorithm: "sha-256";
  /** How many zero bits SHA-256 of nonce:solution starts with */
  difficulty: number;
  expires_at: string;
  nonce: string;
  signature: string;
}

export interface BetaConfig {
  /** Addresses of logo, hero and font */
  assets: Record<string, unknown>;
  /** The experience's texts by key */
  copy: Record<string, unknown>;
  dir: "ltr" | "rtl";
  /** The form, in the language that is answered */
  fields: Record<string, unknown>[];
  locale: string;
  locales: Record<string, unknown>[];
  published: boolean;
  /** Whether /beta/template is the team's own */
  template: boolean;
  /** The page's own ICU messages by key */
  texts: Record<string, unknown>;
  /** Every token: the theme over the default */
  theme: Record<string, unknown>;
  /** 0 for an experience that nobody has published */
  version: number;
}

export interface BetaCreateAssetReply {
  content_type: string;
  created_at: string;
  created_by: string;
  filename: string | null;
  id: string;
  kind: "logo" | "hero" | "font";
  sha256: string;
  size: number;
  url: string;
}

export interface BetaDecideProspectReplySignals {
  /** The same for sign-ups from one address; it does not say which */
  address_hash: string;
  agent: string;
  difficulty: number;
  /** The address is of a domain that gives out ones to throw away */
  disposable: boolean;
  /** The field that people do not see was filled in */
  honeypot: boolean;
  judge_problem: string | null;
  referrer_host: string | null;
  /** How often the same address signed up again */
  repeats: number;
  /** From asking for the challenge to signing up */
  seconds_to_submit: number;
  subnet_hash: string;
}

export interface BetaDecideProspectReplyVerdict {
  model: string;
  reason: string;
  recommendation: "accept" | "decline" | "review";
  score: number;
}

export interface BetaDecideProspectReply {
  created_at: string;
  decided_at: string | null;
  decided_by: string | null;
  /** The answers, by the names of the form's fields */
  fields: Record<string, unknown>;
  id: string;
  locale: string;
  note: string | null;
  signals: BetaDecideProspectReplySignals;
  status: "captured" | "accepted" | "declined";
  verdict: BetaDecideProspectReplyVerdict | null;
}

export interface BetaExperience {
  assets: Record<string, unknown>;
  /**
   * Texts by language, then by key: title, subtitle, submit, thanks; label_<field>, help_<field>,
   * placeholder_<field> and option_<field>_<n> are of the form; a template has slots for all
   */
  copy: Record<string, unknown>;
  fields: Record<string, unknown>[];
  judge_prompt: string;
  /** The plugins whose experience can be made the draft */
  offers: string[];
  saved_at: string | null;
  saved_by: string | null;
  template: string | null;
  /** Theme tokens, as branding takes them */
  theme: Record<string, unknown>;
  /** How often it was saved; 0 for a draft that is not saved yet */
  version: number;
}

export interface BetaPreviewExperienceReply {
  expires_at: string;
  url: string;
}

export interface BetaPublishExperienceReply {
  assets: Record<string, unknown>;
  /**
   * Texts by language, then by key: title, subtitle, submit, thanks; label_<field>, help_<field>,
   * placeholder_<field> and option_<field>_<n> are of the form; a template has slots for all
   */
  copy: Record<string, unknown>;
  /** Whether this is the version that visitors see */
  current: boolean;
  fields: Record<string, unknown>[];
  id: string;
  judge_prompt: string;
  published_at: string;
  published_by: string;
  template: string | null;
  /** Theme tokens, as branding takes them */
  theme: Record<string, unknown>;
  version: number;
}

export interface SetExperienceBetaAssets {
  font?: string | null;
  hero?: string | null;
  logo?: string | null;
}

export interface SetExperienceBetaField {
  label: string;
  max_length?: number;
  /** a-z, 0-9 and _, a letter first */
  name: string;
  options?: string[];
  required?: boolean;
  type: "text" | "email" | "textarea" | "select" | "checkbox" | "url";
}

export interface BetaSignupReply {
  status: "received";
}

export interface BetaCreateAssetReplyPage {
  items: BetaCreateAssetReply[];
  next_cursor: string | null;
}

export interface BetaExperienceVersion {
  /** Whether this is the version that visitors see */
  current: boolean;
  id: string;
  published_at: string;
  published_by: string;
  version: number;
}

export interface BetaExperienceVersionPage {
  items: BetaExperienceVersion[];
  next_cursor: string | null;
}

export interface BetaDecideProspectReplyPage {
  items: BetaDecideProspectReply[];
  next_cursor: string | null;
}
