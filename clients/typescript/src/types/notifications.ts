/** What the API says about notifications. */

export interface NotificationTeam {
  id: string;
  name: string;
}

export interface Notification {
  created_at: string;
  id: string;
  /** Such as notes.shared */
  kind: string;
  /** Where it leads in the console */
  link: string;
  /** What the text is made of */
  params: Record<string, unknown>;
  read_at: string | null;
  team: NotificationTeam | null;
  /** What happened, in the caller's language */
  text: string;
}

export interface NotificationPage {
  items: Notification[];
  next_cursor: string | null;
  /** How many the caller has not read */
  unread: number;
}

export interface NotificationReadReply {
  /** How many the caller has not read */
  unread: number;
}
