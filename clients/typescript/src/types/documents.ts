/** What the API says about documents. */

export interface DocumentOwner {
  id: string;
  name: string;
}

export interface DocumentVersion {
  content_type: string;
  created_at: string;
  created_by: string;
  sha256: string;
  size: number;
  version: number;
}

export interface Document {
  body: string;
  content_type: string;
  created_at: string;
  filename: string;
  id: string;
  key: string;
  owner: DocumentOwner;
  /** What the caller may do with it */
  permissions: string[];
  sha256: string;
  size: number;
  team_id: string;
  text_status: "none" | "pending" | "indexed" | "stale" | "unsupported";
  title: string;
  updated_at: string;
  version: number;
  versions: DocumentVersion[];
  /** private: the owner alone; shared: also whom it was granted to; team: also the team */
  visibility: "private" | "shared" | "team";
}

export interface ListedDocument {
  content_type: string;
  created_at: string;
  filename: string;
  id: string;
  key: string;
  owner: DocumentOwner;
  /** What the caller may do with it */
  permissions: string[];
  sha256: string;
  size: number;
  team_id: string;
  text_status: "none" | "pending" | "indexed" | "stale" | "unsupported";
  title: string;
  updated_at: string;
  version: number;
  versions: DocumentVersion[];
  /** private: the owner alone; shared: also whom it was granted to; team: also the team */
  visibility: "private" | "shared" | "team";
}

export interface ListedDocumentPage {
  items: ListedDocument[];
  next_cursor: string | null;
}
