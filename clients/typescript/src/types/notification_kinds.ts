/** What the API says about notification kinds. */

export interface NotificationKindItem {
  /** When a mail says so */
  mail: "at_once" | "daily" | "never";
  name: string;
  plugin: string;
  /** Whether the browser says so on this person's device */
  push: boolean;
  /** In the caller's language */
  title: string;
}

export interface NotificationKind {
  items: NotificationKindItem[];
  next_cursor: string | null;
}
