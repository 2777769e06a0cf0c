/** What the API says about connected apps. */

export interface ConnectedAppTeam {
  id: string;
  name: string;
}

export interface ConnectedAppUser {
  id: string;
  username: string;
}

export interface ConnectedApp {
  created_at: string;
  id: string;
  last_used_at: string | null;
  name: string;
  scope: string[];
  team: ConnectedAppTeam;
  user: ConnectedAppUser;
}

export interface ConnectedAppPage {
  items: ConnectedApp[];
  next_cursor: string | null;
}
