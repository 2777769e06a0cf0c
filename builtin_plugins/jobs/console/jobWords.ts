import { useCallback } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";

interface Described {
  kind: string;
  description?: string;
}

const LONGEST = 120;
const keyOf = (kind: string) => `jobs.kind_${kind.replaceAll(/[^a-z0-9]+/g, "_")}`;

/** What a job does, in the reader's words; of a kind that has none what its plugin says, or the kind itself. */
export function useKindWords(): (job: Described) => string {
  const { t, has } = useTexts();
  return useCallback(({ kind, description }: Described) => (has(keyOf(kind)) ? t(keyOf(kind)) : description?.replace(/\.$/, "") || kind), [t, has]);
}

/** What a job is about: the first text of what went into it, where that is this person's to see. */
export function aboutOf(payload: unknown): string {
  if (typeof payload !== "object" || payload === null) return typeof payload === "string" ? shortened(payload) : "";
  const text = Object.values(payload).find((value) => typeof value === "string" && value.trim() !== "");
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
