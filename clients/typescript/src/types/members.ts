/** What the API says about members. */

export interface Member {
  display_name: string;
  last_seen_at: string | null;
  role: string;
  /** invited: they have no password yet */
  status: "active" | "invited" | "suspended";
  user_id: string;
  username: string;
}

export interface MemberPage {
  items: Member[];
  next_cursor: string | null;
}

export interface CreatedMemberMember {
  display_name: string;
  role: string;
  user_id: string;
  username: string;
}

export interface CreatedMember {
  member: CreatedMemberMember;
  token: string | null;
}

export interface MemberInviteReply {
  expires_at: string;
  /** Whether it goes to their address too */
  mailed: boolean;
  url: string;
}
