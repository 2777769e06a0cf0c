/** Events of the audit trail, as the API tells them. */

import type { Cell } from "@guildhall/console/ui/csv";

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
  cursor?: string;
  limit?: number;
}

export const MOST_EXPORTED = 10_000;
/** What events are about; a filter takes the noun for all that can be done with it. */
export const AUDIT_NOUNS = [
  "branding", "entity", "executor", "feature", "glossary", "job", "localization", "login", "member", "note", "object", "org", "org_role",
  "password", "plugin", "profile", "quota", "recovery_codes", "s3_key", "session", "team", "token", "tool", "translation", "trigger",
  "two_factor", "workflow",
] as const;
export const AUDIT_COLUMNS = ["at", "actor", "actor_id", "action", "target_type", "target_id", "detail", "request_id", "id"] as const;

export function auditRow({ id, at, actor, action, target, detail, request_id }: AuditEvent): Cell[] {
  return [at, actor.name, actor.id, action, target.type, target.id, JSON.stringify(detail), request_id, id];
}
