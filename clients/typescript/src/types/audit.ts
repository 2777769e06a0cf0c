/** What the API says about audit. */

export interface AuditEventActor {
  id: string | null;
  name: string;
}

export interface AuditEventTarget {
  id: string | null;
  type: string | null;
}

export interface AuditEvent {
  /** noun.verb, such as login.succeeded */
  action: string;
  actor: AuditEventActor;
  at: string;
  /** from and to, where something was changed */
  detail: Record<string, unknown>;
  id: string;
  request_id: string | null;
  target: AuditEventTarget;
}

export interface AuditEventPage {
  items: AuditEvent[];
  next_cursor: string | null;
}

export interface AuditEventDaysItem {
  /** In UTC */
  day: string;
  events: number;
  /** There are more than are counted */
  more: boolean;
}

export interface AuditEventDays {
  items: AuditEventDaysItem[];
  next_cursor: string | null;
}
