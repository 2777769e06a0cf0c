/** The rows of notification settings. */

import type { Http } from "../http.js";
import type { NotificationSetting, SetNotificationSetting } from "../types/notification_settings.js";

/** Calls of notification settings. */
export class NotificationSettings {
  constructor(private readonly http: Http) {}

  /** Of what the caller hears by mail and on their device. */
  get(): Promise<Record<string, NotificationSetting>> {
    return this.http.call("GET", "/api/notification-settings");
  }

  /** Choose for some kinds; those that are left out stay as they are. */
  set(body: Record<string, SetNotificationSetting>): Promise<Record<string, NotificationSetting>> {
    return this.http.call("PUT", "/api/notification-settings", { body });
  }
}
