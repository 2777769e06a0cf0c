/** The rows of instance sign in ways. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  CreateInstanceSignInWayRule,
  InstanceSignInWay,
  InstanceSignInWayPage,
  InstanceSignInWayPreviewReply,
  InstanceSignInWayTestReply,
  PreviewInstanceSignInWayClaims,
} from "../types/instance_sign_in_ways.js";

/** The body of `instanceSignInWays.create`. */
export interface CreateInstanceSignInWayBody {
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
  rules?: CreateInstanceSignInWayRule[];
  team?: string | null;
}

/** The query of `instanceSignInWays.list`. */
export interface ListInstanceSignInWayQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `instanceSignInWays.preview`. */
export interface PreviewInstanceSignInWayBody {
  /** What the other side would say of somebody */
  claims: PreviewInstanceSignInWayClaims;
}

/** The body of `instanceSignInWays.update`. */
export interface UpdateInstanceSignInWayBody {
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
  rules?: CreateInstanceSignInWayRule[];
  team?: string | null;
}

/** Calls of instance sign in ways. */
export class InstanceSignInWays {
  constructor(private readonly http: Http) {}

  /**
   * Set up a way to sign in elsewhere for everybody.
   * Needs instance:manage.
   */
  create(body: CreateInstanceSignInWayBody): Promise<InstanceSignInWay> {
    return this.http.call("POST", "/api/admin/sign-in", { body });
  }

  /**
   * Delete a way to sign in elsewhere for everybody; who came in by it stays a person here.
   * Needs instance:manage.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/admin/sign-in/${segment(id)}`);
  }

  /**
   * A way to sign in elsewhere for everybody, without its secrets.
   * Needs instance:manage.
   */
  get(id: string): Promise<InstanceSignInWay> {
    return this.http.call("GET", `/api/admin/sign-in/${segment(id)}`);
  }

  /**
   * The ways to sign in elsewhere for everybody, and the kinds that can be set up.
   * Needs instance:manage.
   */
  list(query: ListInstanceSignInWayQuery = {}): Pages<InstanceSignInWay, InstanceSignInWayPage> {
    return new Pages(this.http, "/api/admin/sign-in", query);
  }

  /**
   * What would happen to somebody who comes in by a way for everybody with these claims; nothing does.
   * Needs instance:manage.
   */
  preview(id: string, body: PreviewInstanceSignInWayBody): Promise<InstanceSignInWayPreviewReply> {
    return this.http.call("POST", `/api/admin/sign-in/${segment(id)}/preview`, { body });
  }

  /**
   * Try a way to sign in elsewhere for everybody without a person; each step says what came back.
   * Needs instance:manage.
   */
  test(id: string): Promise<InstanceSignInWayTestReply> {
    return this.http.call("POST", `/api/admin/sign-in/${segment(id)}/test`);
  }

  /**
   * Change a way to sign in elsewhere for everybody; what is not named stays.
   * Needs instance:manage.
   */
  update(id: string, body: UpdateInstanceSignInWayBody = {}): Promise<InstanceSignInWay> {
    return this.http.call("PATCH", `/api/admin/sign-in/${segment(id)}`, { body });
  }
}
