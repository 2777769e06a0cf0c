/** What the API says about notification settings. */

export interface NotificationSetting {
  /** When a mail says so */
  mail: "at_once" | "daily" | "never";
  /** Whether the browser says so on this person's device */
  push: boolean;
}

export interface SetNotificationSetting {
  /** When a mail says so */
  mail?: "at_once" | "daily" | "never";
  /** Whether the browser says so on this person's device */
  push?: boolean;
}
