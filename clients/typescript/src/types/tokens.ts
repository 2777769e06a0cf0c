/** What the API says about tokens. */

export interface TokenUser {
  id: string;
  username: string;
}

export interface Token {
  created_at: string;
  expires_at: string | null;
  id: string;
  /** `api`, or a kind that a plugin gives out, such as `scim` */
  kind: string;
  name: string | null;
  scope: string[] | null;
  user: TokenUser;
}

export interface TokenPage {
  items: Token[];
  next_cursor: string | null;
}

export interface CreatedToken {
  expires_at: string | null;
  id: string;
  scope: string[] | null;
  token: string;
}
