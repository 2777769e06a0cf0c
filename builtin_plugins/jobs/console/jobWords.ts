/** What jobs are about, and what to do about one that failed. */

const LONGEST = 120;
const ID = /^[a-z]+_[0-9a-z]{26}$/;

/** What a job is about: the first text of what went into it that is no id, where that is this person's to see. */
export function aboutOf(payload: unknown): string {
  if (typeof payload !== "object" || payload === null) return typeof payload === "string" ? shortened(payload) : "";
  const text = Object.values(payload).find((value) => typeof value === "string" && value.trim() !== "" && !ID.test(value));
  return shortened((text as string | undefined) ?? "");
}

function shortened(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

/** What to do about a failed job, by the code of its error. */
export function remedyOf(code: string): string {
  if (["quota_exceeded", "concurrency_exceeded"].includes(code)) return "jobs.do_limit";
  if (["model_unavailable", "executor_timeout", "rate_limited", "timeout", "lease_lapsed"].includes(code)) return "jobs.do_wait";
  if (["permission_denied", "feature_disabled", "tool_disabled", "person_removed", "credential_revoked"].includes(code)) return "jobs.do_right";
  return code === "poison" ? "jobs.do_operator" : "jobs.do_look";
}

/** A field's local date and time as the API takes it; null where there is none. */
export function fromLocal(text: string): string | null {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
