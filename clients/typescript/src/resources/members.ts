/** The rows of members. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { CreatedMember, CreatedMemberMember, Member, MemberInviteReply, MemberPage } from "../types/members.js";

/** The body of `members.create`. */
export interface CreateMemberBody {
  display_name?: string;
  /** Such as ada@example.com */
  email?: string;
  /** A language tag, such as nl-BE */
  locale?: string;
  password?: string;
  role: "viewer" | "member" | "admin" | "owner" | "translator" | "reviewer" | "localizer" | "worker";
  /** Unique on the instance, without case */
  username: string;
}

/** The query of `members.list`. */
export interface ListMemberQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `members.update`. */
export interface UpdateMemberBody {
  role: "viewer" | "member" | "admin" | "owner" | "translator" | "reviewer" | "localizer" | "worker";
}

/** Calls of members. */
export class Members {
  constructor(private readonly http: Http) {}

  /**
   * Add a person to the team. A new one gets a first session; a colleague joins as they are.
   * Needs members:manage.
   */
  create(body: CreateMemberBody): Promise<CreatedMember> {
    return this.http.call("POST", "/api/members", { body });
  }

  /**
   * Remove a member from the team; what they hold here ends at once.
   * Needs members:manage.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/members/${segment(id)}`);
  }

  /**
   * Make a link by which somebody who has no password yet sets one. Ends the one before, and their sessions.
   * Needs members:manage.
   */
  invite(id: string): Promise<MemberInviteReply> {
    return this.http.call("POST", `/api/members/${segment(id)}/invitation`);
  }

  /** The team's members and their roles. */
  list(query: ListMemberQuery = {}): Pages<Member, MemberPage> {
    return new Pages(this.http, "/api/members", query);
  }

  /**
   * Make a link by which somebody of the company who ranks below the caller sets their password anew. Their sessions
   * end when it is used.
   * Needs members:manage.
   */
  resetPassword(id: string): Promise<MemberInviteReply> {
    return this.http.call("POST", `/api/members/${segment(id)}/password-reset`);
  }

  /**
   * Give a member another role.
   * Needs members:manage.
   */
  update(id: string, body: UpdateMemberBody): Promise<CreatedMemberMember> {
    return this.http.call("PATCH", `/api/members/${segment(id)}`, { body });
  }
}
