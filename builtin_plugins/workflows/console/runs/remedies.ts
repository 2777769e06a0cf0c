/** What to do about a failure, by its code, and where. */

export interface Remedy {
  /** The key of a sentence. */
  text: string;
  path?: string;
  /** The screen that the path belongs to, where it is another one. */
  screen?: string;
}

const REMEDIES: Record<string, Remedy> = {
  cancelled: { text: "runs.do_again" },
  executor_timeout: { text: "runs.do_wait" },
  feature_disabled: { text: "runs.do_feature", path: "/features" },
  model_format: { text: "runs.do_wait" },
  model_unavailable: { text: "runs.do_wait" },
  no_permission: { text: "runs.do_other_person" },
  not_found: { text: "runs.do_gone" },
  permission_denied: { text: "runs.do_right", path: "/members" },
  poison: { text: "runs.do_operator" },
  quota_exceeded: { text: "runs.do_limit", path: "/usage" },
  rate_limited: { text: "runs.do_wait" },
  text_pending: { text: "runs.do_wait" },
  timeout: { text: "runs.do_smaller" },
  tool_disabled: { text: "runs.do_tool", path: "/tools" },
};
/** What is wrong with the workflow or with what it was given. */
const ITS_OWN = new Set([
  ...["input_too_large", "invalid_request", "max_steps_exceeded", "not_a_list", "predicate_type", "result_too_large"],
  ...["too_many_items", "unknown_tool"],
]);

export function remedyOf(code: string, slug: string): Remedy {
  const known = REMEDIES[code];
  if (known) return known;
  const text = ITS_OWN.has(code) ? "runs.do_change" : "runs.do_look";
  return { text, path: `/workflows/${slug}/edit`, screen: "/workflows" };
}
