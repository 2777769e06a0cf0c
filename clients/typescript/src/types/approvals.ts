/** What the API says about approvals. */

export interface Approval {
  body: string | null;
  expires_at: string | null;
  form: Record<string, unknown> | null;
  id: string;
  requested_at: string;
  run_id: string;
  step: string;
  title: string;
}

export interface ApprovalPage {
  items: Approval[];
  next_cursor: string | null;
}

export interface ApprovalSetReply {
  body: string | null;
  by: string | null;
  comment: string | null;
  decided_at: string | null;
  decision: "approve" | "reject" | null;
  expires_at: string | null;
  form: Record<string, unknown> | null;
  id: string;
  requested_at: string;
  run_id: string;
  step: string;
  title: string;
}
