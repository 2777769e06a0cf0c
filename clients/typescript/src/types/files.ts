/** What the API says about files. */

import type { DocumentVersion } from "./documents.js";

export interface FileOwner {
  id: string;
  name: string;
}

export interface File {
  content_type: string;
  created_at: string;
  filename: string;
  id: string;
  key: string;
  owner: FileOwner;
  /** What the caller may do with it */
  permissions: string[];
  sha256: string;
  size: number;
  team_id: string;
  text_status: "none" | "pending" | "indexed" | "stale" | "unsupported";
  updated_at: string;
  version: number;
  versions: DocumentVersion[];
  /** private: the owner alone; shared: also whom it was granted to; team: also the team */
  visibility: "private" | "shared" | "team";
}

export interface FilePage {
  folders: string[];
  items: File[];
  next_cursor: string | null;
}

export interface FileCreatePlaybackReply {
  expires_at: string;
  path: string;
}

export interface FileDerivationsDerived {
  key: string;
  object_id: string;
  run_id: string | null;
  step: string | null;
  version: number;
}

export interface FileDerivations {
  derived: FileDerivationsDerived[];
  sources: FileDerivationsDerived[];
}

export interface FileDiff {
  added: number;
  diff: string;
  from: number;
  removed: number;
  to: number;
  truncated: boolean;
}

export interface FileLifecyclePreview {
  bytes: number;
  /** false: there is more than was looked at */
  complete: boolean;
  /** Deleted objects, with all their versions */
  deleted_objects: number;
  markers: number;
  /** Old versions that would go now */
  versions: number;
}

export interface FileLifecycleRule {
  deleted_days: number | null;
  /** Delete markers that hide nothing any more go */
  empty_markers: boolean;
  enabled: boolean;
  /** A name of your own, one for each rule */
  id: string;
  /** But for so many of the newest old ones of each object */
  keep_old_versions: number;
  old_version_days: number | null;
  /** Only keys that begin with this */
  prefix: string;
}

export interface FileLifecycleThrownAway {
  bytes: number;
  versions: number;
}

export interface FileLifecycle {
  holds_from: string | null;
  preview: FileLifecyclePreview;
  rules: FileLifecycleRule[];
  thrown_away: FileLifecycleThrownAway;
}

export interface FileMoveFolderReplyPayload {
  /** A prefix of keys that ends with a slash */
  from: string;
  /** A prefix of keys that ends with a slash */
  to: string;
}

export interface FileMoveFolderReply {
  attempt: number;
  created_at: string;
  error: unknown;
  executor: string | null;
  finished_at: string | null;
  id: string;
  kind: string;
  max_attempts: number;
  payload: FileMoveFolderReplyPayload;
  progress: number | null;
  result: unknown;
  started_at: string | null;
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  team_id: string;
  user_id: string;
}

export interface FilePresignReply {
  expires_at: string;
  url: string;
}

export interface FileProcessingRunWorkflow {
}

export interface FileProcessingRun {
  created_at: string;
  id: string;
  state: string;
  workflow: FileProcessingRunWorkflow;
}

export interface FileProcessing {
  derived: FileDerivationsDerived[];
  runs: FileProcessingRun[];
  sources: FileDerivationsDerived[];
}

export interface SetLifecycleFileRule {
  deleted_days?: number | null;
  /** Delete markers that hide nothing any more go */
  empty_markers?: boolean;
  enabled?: boolean;
  /** A name of your own, one for each rule */
  id: string;
  /** But for so many of the newest old ones of each object */
  keep_old_versions?: number;
  old_version_days?: number | null;
  /** Only keys that begin with this */
  prefix?: string;
}

export interface FileShareReplyItem {
  capability: "view" | "edit" | "manage";
  expired: boolean;
  expires_at: string | null;
  granted_at: string;
  granted_by: string;
  granted_by_name: string;
  name: string;
  permissions: string[];
  principal_id: string;
  principal_type: "user" | "team";
}

export interface FileShareReply {
  items: FileShareReplyItem[];
  next_cursor: string | null;
}

export interface FileShareTargetsUser {
  display_name: string;
  id: string;
  username: string;
}

export interface FileShareTargets {
  teams: FileOwner[];
  users: FileShareTargetsUser[];
}

export interface FileText {
  status: "none" | "pending" | "indexed" | "stale" | "unsupported";
  text: string | null;
  /** The number of the newest version */
  version: number;
}
