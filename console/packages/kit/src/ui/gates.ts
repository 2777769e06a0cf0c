/** Which gate refused, what would lift it, and who can: from the fields of the problem. */

import type { Problem } from "../api/problem";

export interface Lift {
  /** The key of a sentence that says what would lift it. */
  text: string;
  /** Where whoever can lift it does so; shown to them alone. */
  path?: string;
  /** The permission that lifting it takes. */
  needs?: string;
}

const TEAM_ADMIN = "settings:manage";

const LIFTS: Record<string, Lift> = {
  permission_denied: { text: "gate.permission", path: "/members", needs: "members:manage" },
  feature_disabled: { text: "gate.feature", path: "/features", needs: TEAM_ADMIN },
  plugin_held: { text: "gate.plugin_held", path: "/instance/plugins", needs: "instance:manage" },
  tool_disabled: { text: "gate.tool", path: "/tools", needs: TEAM_ADMIN },
  quota_exceeded: { text: "gate.quota", path: "/usage" },
  concurrency_exceeded: { text: "gate.concurrency" },
  queue_full: { text: "gate.concurrency", path: "/jobs" },
  org_suspended: { text: "gate.suspended" },
  tenant_suspended: { text: "gate.suspended" },
  model_unavailable: { text: "gate.model" },
  executor_timeout: { text: "gate.model" },
  session_required: { text: "gate.session" },
};

/** A limit without a period, such as that of the room for files: no time brings it back. */
const ROOM: Lift = { text: "gate.quota_room", path: "/usage" };

export function liftOf(problem: Problem): Lift | null {
  if (problem.code === "quota_exceeded" && problem.retryAfter === null) return ROOM;
  return LIFTS[problem.code] ?? null;
}
