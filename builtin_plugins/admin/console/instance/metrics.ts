/** Figures of an instance from its metrics. */

import type { paths } from "@guildhall/console/api/schema";

export type Metrics = paths["/api/metrics"]["get"]["responses"]["200"]["content"]["application/json"]["items"];

/** The sum of a metric over its samples, or over those with these labels. */
export function total(metrics: Metrics, name: string, labels: Record<string, string> = {}): number {
  const family = metrics.find((one) => one.name === `guildhall_${name}`);
  const wanted = Object.entries(labels);
  return (family?.samples ?? [])
    .filter((sample) => wanted.every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, sample) => sum + sample.value, 0);
}

export interface Activity {
  calls: number;
  refused: number;
  failed: number;
  /** The mean time of a call, in milliseconds; null where there was none. */
  meanMs: number | null;
  jobs: number;
  failedJobs: number;
}

/** What one plugin has done since the start of the server. */
export function activityOf(metrics: Metrics, plugin: string): Activity {
  const calls = total(metrics, "plugin_requests_total", { plugin });
  const seconds = total(metrics, "plugin_request_seconds_total", { plugin });
  return {
    calls,
    refused: total(metrics, "plugin_requests_total", { plugin, outcome: "refused" }),
    failed: total(metrics, "plugin_requests_total", { plugin, outcome: "failed" }),
    meanMs: calls === 0 ? null : (seconds * 1_000) / calls,
    jobs: total(metrics, "plugin_job_attempts_total", { plugin }),
    failedJobs: total(metrics, "plugin_job_attempts_total", { plugin, outcome: "failed" }),
  };
}

/** A label that a metric carries, such as the dialect of the database. */
export function labelOf(metrics: Metrics, name: string, label: string): string | undefined {
  const family = metrics.find((one) => one.name === `guildhall_${name}`);
  const value: unknown = family?.samples[0]?.labels[label];
  return typeof value === "string" ? value : undefined;
}
