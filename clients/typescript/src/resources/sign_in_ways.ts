/** The rows of sign in ways. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  CreateSignInWayRule,
  PreviewSignInWayClaims,
  SignInWay,
  SignInWayPage,
  SignInWayPreviewReply,
  SignInWayTestReply,
} from "../types/sign_in_ways.js";

/** The body of `signInWays.create`. */
export interface CreateSignInWayBody {
  /** People who may still use their password */
  break_glass?: string[];
  /** Whether somebody new is made a person here */
  create_people?: boolean;
  default_role?: "viewer" | "member" | "admin" | "owner" | "translator" | "reviewer" | "localizer" | null;
  /** Of the e-mail addresses let in by it */
  domains?: string[];
  kind: string;
  /** What people press to sign in by it */
  label?: string;
  /** Whether passwords do no more, but for those in break_glass */
  required?: boolean;
  rules?: CreateSignInWayRule[];
  team?: string | null;
}

/** The query of `signInWays.list`. */
export interface ListSignInWayQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `signInWays.preview`. */
export interface PreviewSignInWayBody {
  /** What the other side would say of somebody */
  claims: PreviewSignInWayClaims;
}

/** The body of `signInWays.update`. */
export interface UpdateSignInWayBody {
  /** People who may still use their password */
  break_glass?: string[];
  /** Whether somebody new is made a person here */
  create_people?: boolean;
  default_role?: "viewer" | "member" | "admin" | "owner" | "translator" | "reviewer" | "localizer" | null;
  /** Of the e-mail addresses let in by it */
  domains?: string[];
  kind?: string;
  /** What people press to sign in by it */
  label?: string;
  /** Whether passwords do no more, but for those in break_glass */
  required?: boolean;
  rules?: CreateSignInWayRule[];
  team?: string | null;
}

/** Calls of sign in ways. */
export class SignInWays {
  constructor(private readonly http: Http) {}

  /**
   * Set up a way to sign in elsewhere of the company.
   * Needs org:manage.
   */
  create(body: CreateSignInWayBody): Promise<SignInWay> {
    return this.http.call("POST", "/api/org/sign-in", { body });
  }

  /**
   * Delete a way to sign in elsewhere of the company; who came in by it stays a person here.
   * Needs org:manage.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/org/sign-in/${segment(id)}`);
  }

  /**
   * A way to sign in elsewhere of the company, without its secrets.
   * Needs org:manage.
   */
  get(id: string): Promise<SignInWay> {
    return this.http.call("GET", `/api/org/sign-in/${segment(id)}`);
  }

  /**
   * The ways to sign in elsewhere of the company, and the kinds that can be set up.
   * Needs org:manage.
   */
  list(query: ListSignInWayQuery = {}): Pages<SignInWay, SignInWayPage> {
    return new Pages(this.http, "/api/org/sign-in", query);
  }

  /**
   * What would happen to somebody who comes in by a way of the company with these claims; nothing does.
   * Needs org:manage.
   */
  preview(id: string, body: PreviewSignInWayBody): Promise<SignInWayPreviewReply> {
    return this.http.call("POST", `/api/org/sign-in/${segment(id)}/preview`, { body });
  }

  /**
   * Try a way to sign in elsewhere of the company without a person; each step says what came back.
   * Needs org:manage.
   */
  test(id: string): Promise<SignInWayTestReply> {
    return this.http.call("POST", `/api/org/sign-in/${segment(id)}/test`);
  }

  /**
   * Change a way to sign in elsewhere of the company; what is not named stays.
   * Needs org:manage.
   */
  update(id: string, body: UpdateSignInWayBody = {}): Promise<SignInWay> {
    return this.http.call("PATCH", `/api/org/sign-in/${segment(id)}`, { body });
  }
}
