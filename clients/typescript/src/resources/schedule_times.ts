/** The rows of schedule times. */

import type { Http } from "../http.js";
import type { ScheduleTime } from "../types/schedule_times.js";

/** The query of `scheduleTimes.get`. */
export interface GetScheduleTimeQuery {
  /** Five fields: minute, hour, day of the month, month, day of the week */
  cron?: string;
  /** So many seconds apart; times keep their grid over restarts */
  every_seconds?: number;
  /** The clocks that cron goes by, such as Europe/Amsterdam */
  timezone?: string;
}

/** Calls of schedule times. */
export class ScheduleTimes {
  constructor(private readonly http: Http) {}

  /**
   * The next times of a cron expression, or of every so many seconds from now on.
   * Needs workflows:read.
   */
  get(query: GetScheduleTimeQuery = {}): Promise<ScheduleTime> {
    return this.http.call("GET", "/api/schedule-times", { query });
  }
}
