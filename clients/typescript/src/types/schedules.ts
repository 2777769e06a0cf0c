/** What the API says about schedules. */

export interface ScheduleOwner {
  id: string;
  name: string | null;
}

export interface ScheduleStopped {
  at: string;
  code: string;
  message: string;
}

export interface Schedule {
  created_at: string;
  cron: string | null;
  enabled: boolean;
  every_seconds: number | null;
  id: string;
  input: Record<string, unknown>;
  last_at: string | null;
  last_run_id: string | null;
  last_skipped: "missed" | "overlap" | "feature_disabled" | "plugin_off" | "failed" | "cancelled" | null;
  missed: "none" | "last" | "all";
  name: string | null;
  /** The next 5 times from now on, whether or not it is on */
  next: string[];
  overlap: "skip" | "queue" | "cancel";
  owner: ScheduleOwner | null;
  source: string | null;
  stopped: ScheduleStopped | null;
  timezone: string;
  updated_at: string;
  workflow_slug: string;
}

export interface SchedulePage {
  items: Schedule[];
  next_cursor: string | null;
}

export interface ScheduleRunReply {
  id: string;
  input: unknown;
  state: string;
  trigger_id: string | null;
}
