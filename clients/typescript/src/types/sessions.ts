/** What the API says about sessions. */

export interface Session {
  address: string | null;
  agent: string | null;
  created_at: string;
  current: boolean;
  expires_at: string | null;
  id: string;
  last_used_at: string | null;
  team_id: string;
}

export interface SessionPage {
  items: Session[];
  next_cursor: string | null;
}
