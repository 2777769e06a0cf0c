/** What the API says about instance. */

import type { ListedCompany } from "./companies.js";
import type { SandboxedPluginMeasured } from "./sandboxed_plugins.js";

export interface InstanceBackupsLast {
  age_seconds: number;
  at: string;
  name: string;
  /** Whether it was restored on trial */
  rehearsed: boolean;
}

export interface InstanceBackups {
  encrypted: boolean;
  every_seconds: number;
  keep: number;
  last: InstanceBackupsLast | null;
  /** Whether one should have been made long ago */
  overdue: boolean;
  /** Whether each is to be restored on trial */
  rehearses: boolean;
  to: string | null;
}

export interface InstanceConfigLocalizationLocale {
  code: string;
  dir: "ltr" | "rtl";
  name: string;
}

export interface InstanceConfigLocalization {
  default_locale: string;
  locales: InstanceConfigLocalizationLocale[];
  switching: boolean;
}

export interface InstanceConfig {
  home: "console" | "beta";
  hosted: boolean;
  localization: InstanceConfigLocalization;
  multitenant: boolean;
  needs_bootstrap: boolean;
  version: string;
}

export interface InstanceExplainGate {
  because: string;
  decision: "allow" | "deny" | "skip";
  gate: "rate" | "suspension" | "feature" | "permission" | "scope" | "quota";
  lifted_by: string | null;
  plugin: string;
  rule: string | null;
}

export interface InstanceExplain {
  allowed: boolean;
  gates: InstanceExplainGate[];
}

export interface InstanceHealth {
  multitenant: boolean;
  ok: boolean;
}

export interface InstanceHealthMachineCompany {
  id: string;
  name: string;
  running: number;
  waiting: number;
}

export interface InstanceHealthMachineDatabase {
  bytes: number;
  engine: string;
  waited_seconds: number;
}

export interface InstanceHealthMachineHistory {
  at: string;
  failed_per_second: number;
  jobs_per_second: number;
  /** Of the requests of this while; 0 where there was none */
  p95_ms: number;
  requests_per_second: number;
  streams: number;
}

export interface InstanceHealthMachineJobs {
  longest_wait_seconds: number;
  running: number;
  waiting: number;
}

export interface InstanceHealthMachineSlowStatement {
  at: string;
  ms: number;
  name: string;
  plugin: string;
}

export interface InstanceHealthMachineTotals {
  /** Of them, with a 5xx */
  failed: number;
  /** Attempts that ended since the start */
  jobs_ended: number;
  jobs_failed: number;
  /** Answered since the start */
  requests: number;
  /** Open now */
  streams: number;
}

export interface InstanceHealthMachine {
  at: string;
  /** Those with the most jobs now */
  companies: InstanceHealthMachineCompany[];
  database: InstanceHealthMachineDatabase;
  /** Every ten seconds, of the process that answers */
  history: InstanceHealthMachineHistory[];
  /** Now */
  jobs: InstanceHealthMachineJobs;
  memory_bytes: number;
  /** Server processes that share the database */
  processes: number;
  ready: boolean;
  /** The last ones of the process that answers, the newest first */
  slow_statements: InstanceHealthMachineSlowStatement[];
  /** Of all processes of this machine's server */
  totals: InstanceHealthMachineTotals;
  /** Why it is not ready: starting, draining, database or disk */
  trouble?: string;
  version: string;
}

export interface InstanceMetricsItemSample {
  /** Of a histogram: upper bound to how many were at most that */
  buckets?: Record<string, number>;
  labels: Record<string, string>;
  /** Of a histogram alone */
  sum?: number;
  /** Of a histogram: how many were observed */
  value: number;
}

export interface InstanceMetricsItem {
  help: string;
  name: string;
  samples: InstanceMetricsItemSample[];
  type: "counter" | "gauge" | "histogram";
}

export interface InstanceMetrics {
  items: InstanceMetricsItem[];
  next_cursor: string | null;
}

export interface InstanceReady {
  ready: boolean;
}

export interface InstanceSeedReply {
  created: number;
  existing: number;
}

export interface InstanceSeedTenantsReplyItemPeople {
  org_role: string | null;
  password: string;
  role: string;
  username: string;
}

export interface InstanceSeedTenantsReplyItemTeam {
  id: string;
  name: string;
  slug: string;
}

export interface InstanceSeedTenantsReplyItem {
  org: ListedCompany;
  people: InstanceSeedTenantsReplyItemPeople[];
  team: InstanceSeedTenantsReplyItemTeam;
}

export interface InstanceSeedTenantsReply {
  items: InstanceSeedTenantsReplyItem[];
  next_cursor: string | null;
}

export interface InstanceSeededTenants {
  /** SERVICE_DEMO is on here */
  enabled: boolean;
}

export interface InstanceStatusCounts {
  audit_events: number;
  notes: number;
  orgs: number;
  teams: number;
  tenants: number;
  tokens: number;
  users: number;
}

export interface InstanceStatusSandbox {
  extraction: "confined" | "unconfined" | "refused";
  /** Whether a hostile process in the sandbox was refused every attempt */
  measured: SandboxedPluginMeasured;
  /** B: what reads documents is closed; C: limits alone */
  tier: "A" | "B" | "C";
}

export interface InstanceStatusSecretsAtRest {
  /** Still sealed by an older data key */
  awaiting_reseal: number;
  cipher: string;
  /** The data key that seals now; its id, never the key */
  key_id: string;
  secrets: number;
  /** resealing: a rotation is not finished */
  state: "sealed" | "resealing";
}

export interface InstanceStatus {
  counts: InstanceStatusCounts;
  /** How passwords are hashed, and at what cost */
  kdf: string;
  multitenant: boolean;
  sandbox: InstanceStatusSandbox;
  secrets_at_rest: InstanceStatusSecretsAtRest;
  /** proxy: whoever stands in front speaks TLS; see base_url */
  tls: "off" | "proxy";
  version: string;
}

export interface InstanceEmailDomainOrg {
  id: string;
  name: string;
}

export interface InstanceEmailDomain {
  claimed_at: string;
  confirmed_at: string | null;
  /** Whether another company's people had addresses there before */
  contested: boolean;
  domain: string;
  org: InstanceEmailDomainOrg;
  way_id: string;
}

export interface InstanceEmailDomainPage {
  items: InstanceEmailDomain[];
  next_cursor: string | null;
}

export interface InstanceMailUser {
  id: string;
  username: string;
}

export interface InstanceMail {
  attempts: number;
  created_at: string;
  ended_at: string | null;
  error: string | null;
  id: string;
  /** What it is, such as companies.reset */
  name: string;
  next_attempt_at: string | null;
  org: InstanceEmailDomainOrg | null;
  /** refused: the address does not take it; held_back: too many */
  state: "waiting" | "sent" | "refused" | "failed" | "expired" | "held_back";
  to: string;
  user: InstanceMailUser | null;
}

export interface InstanceMailPage {
  /** Whether SERVICE_MAIL_URL names a server */
  is_set_up: boolean;
  items: InstanceMail[];
  next_cursor: string | null;
  /** Whom mail is from */
  sender: string;
}
