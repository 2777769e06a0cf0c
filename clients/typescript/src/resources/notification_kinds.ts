/** The rows of notification kinds. */

import type { Http } from "../http.js";
import type { NotificationKind } from "../types/notification_kinds.js";

/** Calls of notification kinds. */
export class NotificationKinds {
  constructor(private readonly http: Http) {}

  /** What people are told of here, by every plugin. */
  get(): Promise<NotificationKind> {
    return this.http.call("GET", "/api/notification-kinds");
  }
}
