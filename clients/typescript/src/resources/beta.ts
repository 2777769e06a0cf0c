/** The rows of beta. */

import type { Http } from "../http.js";
import { Download } from "../downloads.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  BetaChallenge,
  BetaConfig,
  BetaCreateAssetReply,
  BetaCreateAssetReplyPage,
  BetaDecideProspectReply,
  BetaDecideProspectReplyPage,
  BetaExperience,
  BetaExperienceVersion,
  BetaExperienceVersionPage,
  BetaPreviewExperienceReply,
  BetaPublishExperienceReply,
  BetaSignupReply,
  SetExperienceBetaAssets,
  SetExperienceBetaField,
} from "../types/beta.js";

/** The query of `beta.assets`. */
export interface AssetsBetaQuery {
  /** How many items at the most */
  limit?: number;
}

/** The query of `beta.config`. */
export interface ConfigBetaQuery {
  /** A language such as nl-BE; else the browser's */
  locale?: string;
}

/** The body of `beta.createAsset`. */
export interface CreateAssetBetaBody {
  /** Must be what the data is by its content */
  content_type:
    | "image/png"
    | "image/jpeg"
    | "image/webp"
    | "image/gif"
    | "image/svg+xml"
    | "font/woff2"
    | "font/woff";
  /** In base64, at most 2097152 bytes */
  data: string;
  filename?: string;
  kind: "logo" | "hero" | "font";
}

/** The body of `beta.decideProspect`. */
export interface DecideProspectBetaBody {
  decision: "accept" | "decline";
  note?: string;
}

/** The query of `beta.experienceVersions`. */
export interface ExperienceVersionsBetaQuery {
  /** How many items at the most */
  limit?: number;
}

/** The query of `beta.prospects`. */
export interface ProspectsBetaQuery {
  /** How many items at the most */
  limit?: number;
  status?: "captured" | "accepted" | "declined";
  /** Stands in one of the answers, in any case */
  q?: string;
  /** csv gives all of them as a table, as Accept: text/csv does */
  format?: "json" | "csv";
}

/** The body of `beta.restoreExperience`. */
export interface RestoreExperienceBetaBody {
  /** One of the draft's offers, instead */
  plugin?: string;
  /** One that the team has published */
  version?: number;
}

/** The body of `beta.setExperience`. */
export interface SetExperienceBetaBody {
  /** Ids of the team's assets, or paths below /beta/bundle/ */
  assets?: SetExperienceBetaAssets;
  /**
   * Texts by language, then by key: title, subtitle, submit, thanks; label_<field>, help_<field>,
   * placeholder_<field> and option_<field>_<n> are of the form; a template has slots for all
   */
  copy?: Record<string, unknown>;
  fields?: SetExperienceBetaField[];
  /** How prospects are judged; never public */
  judge_prompt?: string;
  /** As it was read; ignored */
  offers?: unknown;
  /** As it was read; ignored */
  saved_at?: unknown;
  /** As it was read; ignored */
  saved_by?: unknown;
  template?: string | null;
  /** Theme tokens, as branding takes them */
  theme?: Record<string, unknown>;
  /** As it was read; ignored */
  version?: unknown;
}

/** The body of `beta.signup`. */
export interface SignupBetaBody {
  /** The challenge as it was given: nonce, difficulty, expires_at, signature; and `solution` */
  challenge: unknown;
  /** The answers, by the names of the fields that GET /api/beta/config gives */
  fields: Record<string, unknown>;
  /** The language that the visitor reads */
  locale?: string;
  /** A trap for robots: people do not see it, and leave it empty */
  website?: string;
}

/** Calls of beta. */
export class Beta {
  constructor(private readonly http: Http) {}

  /** A picture or a font by its id. */
  asset(id: string): Download {
    return new Download(this.http, `/api/beta/asset/${segment(id)}`);
  }

  /**
   * The team's assets, newest first.
   * Needs settings:manage.
   */
  assets(query: AssetsBetaQuery = {}): Pages<BetaCreateAssetReply, BetaCreateAssetReplyPage> {
    return new Pages(this.http, "/api/beta/assets", query);
  }

  /** A proof-of-work challenge to solve before signing up. */
  challenge(): Promise<BetaChallenge> {
    return this.http.call("GET", "/api/beta/challenge");
  }

  /** What the funnel of this hostname asks and says, in one language. */
  config(query: ConfigBetaQuery = {}): Promise<BetaConfig> {
    return this.http.call("GET", "/api/beta/config", { query });
  }

  /**
   * Upload a logo, a hero picture or a font for the team's experience.
   * Needs settings:manage.
   */
  createAsset(body: CreateAssetBetaBody): Promise<BetaCreateAssetReply> {
    return this.http.call("POST", "/api/beta/assets", { body });
  }

  /**
   * Accept or decline a prospect; another decision takes the place of the first.
   * Needs settings:manage.
   */
  decideProspect(id: string, body: DecideProspectBetaBody): Promise<BetaDecideProspectReply> {
    return this.http.call("POST", `/api/beta/prospects/${segment(id)}/decide`, { body });
  }

  /**
   * Delete an asset; a page that shows it goes on without it.
   * Needs settings:manage.
   */
  deleteAsset(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/beta/asset/${segment(id)}`);
  }

  /**
   * Erase all that is known of a prospect.
   * Needs settings:manage.
   */
  deleteProspect(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/beta/prospects/${segment(id)}`);
  }

  /**
   * The team's draft, its judge prompt too; before the first save, what is shown without one.
   * Needs settings:manage.
   */
  experience(): Promise<BetaExperience> {
    return this.http.call("GET", "/api/beta/experience");
  }

  /**
   * What the team has published, newest first.
   * Needs settings:manage.
   */
  experienceVersions(
    query: ExperienceVersionsBetaQuery = {},
  ): Pages<BetaExperienceVersion, BetaExperienceVersionPage> {
    return new Pages(this.http, "/api/beta/experience/versions", query);
  }

  /**
   * An address at which the team's saved draft can be looked at, in a frame, for ten minutes.
   * Needs settings:manage.
   */
  previewExperience(): Promise<BetaPreviewExperienceReply> {
    return this.http.call("POST", "/api/beta/experience/preview");
  }

  /**
   * One who signed up, with signals and verdict.
   * Needs settings:manage.
   */
  prospect(id: string): Promise<BetaDecideProspectReply> {
    return this.http.call("GET", `/api/beta/prospects/${segment(id)}`);
  }

  /**
   * Who signed up on the team's page, newest first, with signals and verdicts; also as CSV.
   * Needs settings:manage.
   */
  prospects(query: ProspectsBetaQuery = {}): Pages<BetaDecideProspectReply, BetaDecideProspectReplyPage> {
    return new Pages(this.http, "/api/beta/prospects", query);
  }

  /**
   * Publish the saved draft: the next visitor sees it.
   * Needs settings:manage.
   */
  publishExperience(): Promise<BetaPublishExperienceReply> {
    return this.http.call("POST", "/api/beta/experience/publish");
  }

  /**
   * Save a version that the team has published, or what a plugin offers, as its draft.
   * Needs settings:manage.
   */
  restoreExperience(body: RestoreExperienceBetaBody = {}): Promise<BetaExperience> {
    return this.http.call("POST", "/api/beta/experience/restore", { body });
  }

  /**
   * Save the team's draft; fields that are left out stay as they are.
   * Needs settings:manage.
   */
  setExperience(body: SetExperienceBetaBody = {}): Promise<BetaExperience> {
    return this.http.call("PUT", "/api/beta/experience", { body });
  }

  /** Sign up with the fields of the published experience and a solved challenge. */
  signup(body: SignupBetaBody): Promise<BetaSignupReply> {
    return this.http.call("POST", "/api/beta/signup", { body });
  }
}
