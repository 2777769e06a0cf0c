import type { paths } from "@guildhall/console/api/schema";

export type Webhook = paths["/api/webhooks/{id}"]["get"]["responses"]["200"]["content"]["application/json"];
export type HookIn = paths["/api/hooks-in/{id}"]["get"]["responses"]["200"]["content"]["application/json"];

export const OUT = ["webhooks"] as const;
export const IN = ["hooks-in"] as const;

export const SCHEMES = ["standard", "github", "stripe", "slack", "none"] as const;
export type Scheme = (typeof SCHEMES)[number];

/** Names of products stand as they are in every language. */
export const SCHEME_NAMES: Record<Exclude<Scheme, "none">, string> = {
  standard: "Standard Webhooks",
  github: "GitHub",
  stripe: "Stripe",
  slack: "Slack",
};
