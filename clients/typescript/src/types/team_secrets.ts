/** What the API says about team secrets. */

export interface TeamSecretItem {
  name: string;
  /** When it was set last */
  updated_at: string;
}

export interface TeamSecret {
  items: TeamSecretItem[];
  next_cursor: string | null;
}
