/** The rows of notifications. */

import type { Http } from "../http.js";
import { Events } from "../events.js";
import { Pages } from "../paging.js";
import type { Notification, NotificationPage, NotificationReadReply } from "../types/notifications.js";

/** The query of `notifications.list`. */
export interface ListNotificationQuery {
  /** How many items at the most */
  limit?: number;
  /** 1: only those that are not read */
  unread?: boolean;
}

/** The body of `notifications.read`. */
export interface ReadNotificationBody {
  /** true in place of ids: all of them */
  all?: boolean;
  ids?: string[];
}

/** Calls of notifications. */
export class Notifications {
  constructor(private readonly http: Http) {}

  /** New notifications as server-sent events, from Last-Event-ID on, and how many are unread. */
  events(): Events {
    return new Events(this.http, "GET", "/api/notifications/events");
  }

  /** What the caller was told, newest first. */
  list(query: ListNotificationQuery = {}): Pages<Notification, NotificationPage> {
    return new Pages(this.http, "/api/notifications", query);
  }

  /** Mark notifications of the caller as read: some by id, or all. */
  read(body: ReadNotificationBody = {}): Promise<NotificationReadReply> {
    return this.http.call("POST", "/api/notifications/read", { body });
  }
}
