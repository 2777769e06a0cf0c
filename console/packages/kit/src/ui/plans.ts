/** The plans that a company can be on, the smallest first. */
export const PLANS = ["free", "team", "enterprise"] as const;

export const WINDOWS = ["minute", "hour", "day", "month", "none"] as const;

/** The key of a dimension's name in the catalog; a plugin's own have none. */
export const DIMENSION_NAMES: Record<string, string> = {
  "ai.requests": "usage.ai_requests",
  "ai.tokens.total": "usage.ai_tokens",
  "ai.concurrency": "usage.ai_concurrency",
  "jobs.concurrency": "usage.jobs_concurrency",
  "storage.bytes": "usage.storage",
};
