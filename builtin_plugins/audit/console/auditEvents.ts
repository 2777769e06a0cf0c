/** Events of the audit trail as the API tells them, and how a list of them is asked for. */

import type { Cell } from "./csv";

export interface AuditEvent {
  id: string;
  at: string;
  actor: { id: string | null; name: string };
  action: string;
  target: { type: string | null; id: string | null };
  detail: Record<string, unknown>;
  request_id: string | null;
}
export interface AuditQuery {
  actor?: string;
  action?: string;
  target?: string;
  q?: string;
  from?: string;
  to?: string;
  cursor?: string;
  limit?: number;
}
export interface AuditDay {
  day: string;
  events: number;
  more: boolean;
}

export const MOST_EXPORTED = 10_000;
/** What events are about; a filter takes the noun for all that can be done with it. */
export const AUDIT_NOUNS = [
  "branding", "entity", "executor", "feature", "glossary", "job", "localization", "login", "member", "note", "object", "org", "org_role",
  "password", "plugin", "profile", "quota", "recovery_codes", "run", "s3_key", "session", "team", "token", "tool", "translation", "trigger",
  "two_factor", "workflow",
] as const;
export const AUDIT_COLUMNS = ["at", "actor", "actor_id", "action", "target_type", "target_id", "detail", "request_id", "id"] as const;

export function auditRow({ id, at, actor, action, target, detail, request_id }: AuditEvent): Cell[] {
  return [at, actor.name, actor.id, action, target.type, target.id, JSON.stringify(detail), request_id, id];
}

const DAY_MS = 86_400_000;

/** The day after one, as dates are written in addresses: 2030-01-31. */
export function dayAfter(day: string, many = 1): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + many * DAY_MS).toISOString().slice(0, 10);
}

/** What the address asks for; its days are whole ones in UTC, the last included. What is no date is left out. */
export function queryOf(filters: Record<string, string>): AuditQuery {
  const { actor, action, target, q } = filters;
  const from = isDay(filters.from) && `${filters.from}T00:00:00Z`;
  const to = isDay(filters.to) && `${dayAfter(filters.to)}T00:00:00Z`;
  return { ...(actor && { actor }), ...(action && { action }), ...(target && { target }), ...(q && { q }), ...(from && { from }), ...(to && { to }) };
}

/** A date as addresses have it; what somebody typed there may be none. */
export const isDay = (text: string | undefined): text is string => /^\d{4}-\d{2}-\d{2}$/.test(text ?? "") && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
