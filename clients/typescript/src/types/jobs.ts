/** What the API says about jobs. */

export interface JobError {
  code: string;
  message: string | null;
}

export interface Job {
  attempt: number;
  created_at: string;
  /** What jobs of this kind do */
  description: string;
  error: JobError | null;
  executor: string | null;
  finished_at: string | null;
  id: string;
  kind: string;
  max_attempts: number;
  payload: unknown;
  progress: number | null;
  result: unknown;
  run_at: string | null;
  started_at: string | null;
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  team_id: string;
  user_id: string;
}

export interface JobPage {
  items: Job[];
  next_cursor: string | null;
}
