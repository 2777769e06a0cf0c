/** The rows of schedules. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Schedule, SchedulePage, ScheduleRunReply } from "../types/schedules.js";

/** The body of `schedules.create`. */
export interface CreateScheduleBody {
  cron?: string | null;
  /** Off, it starts nothing; what ran goes on */
  enabled?: boolean;
  every_seconds?: number | null;
  /** The workflow's input */
  input?: Record<string, unknown>;
  /** What becomes of times at which nothing could start, as the server was off */
  missed?: "none" | "last" | "all";
  /** Where the run before is still under way: leave out, wait, or cancel it */
  overlap?: "skip" | "queue" | "cancel";
  /** The clocks that cron goes by, such as Europe/Amsterdam */
  timezone?: string;
  /** The workflow to start */
  workflow_slug: string;
}

/** The query of `schedules.list`. */
export interface ListScheduleQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `schedules.update`. */
export interface UpdateScheduleBody {
  cron?: string | null;
  /** Off, it starts nothing; what ran goes on */
  enabled?: boolean;
  every_seconds?: number | null;
  /** The workflow's input */
  input?: Record<string, unknown>;
  /** What becomes of times at which nothing could start, as the server was off */
  missed?: "none" | "last" | "all";
  /** Where the run before is still under way: leave out, wait, or cancel it */
  overlap?: "skip" | "queue" | "cancel";
  /** The clocks that cron goes by, such as Europe/Amsterdam */
  timezone?: string;
  /** The workflow to start */
  workflow_slug?: string;
}

/** Calls of schedules. */
export class Schedules {
  constructor(private readonly http: Http) {}

  /**
   * Start a workflow at times: by a cron expression, or every so many seconds.
   * Needs workflows:write.
   */
  create(body: CreateScheduleBody): Promise<Schedule> {
    return this.http.call("POST", "/api/schedules", { body });
  }

  /**
   * Delete a schedule; runs that it started remain.
   * Needs workflows:write.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/schedules/${segment(id)}`);
  }

  /**
   * A schedule with its next times.
   * Needs workflows:read.
   */
  get(id: string): Promise<Schedule> {
    return this.http.call("GET", `/api/schedules/${segment(id)}`);
  }

  /**
   * The team's schedules, newest first, those of plugins too.
   * Needs workflows:read.
   */
  list(query: ListScheduleQuery = {}): Pages<Schedule, SchedulePage> {
    return new Pages(this.http, "/api/schedules", query);
  }

  /**
   * Start its workflow now, as the caller.
   * Needs workflows:write.
   */
  run(id: string): Promise<ScheduleRunReply> {
    return this.http.call("POST", `/api/schedules/${segment(id)}/run`);
  }

  /**
   * Change a schedule; what is left out stays.
   * Needs workflows:write.
   */
  update(id: string, body: UpdateScheduleBody = {}): Promise<Schedule> {
    return this.http.call("PATCH", `/api/schedules/${segment(id)}`, { body });
  }
}
