/** What the API says about notes. */

export interface NoteOwner {
  id: string;
  name: string;
}

export interface NoteSharedWith {
  name: string;
  permission: "notes:delete" | "notes:manage" | "notes:read" | "notes:write";
  user_id: string;
}

export interface Note {
  body: string;
  created_at: string;
  /** Only in the bin */
  deleted_at?: string;
  /** How the body begins, on one line */
  excerpt: string;
  id: string;
  owner: NoteOwner;
  /** what the caller may do with this note */
  permissions: ("notes:delete" | "notes:manage" | "notes:read" | "notes:write")[];
  shared_with?: NoteSharedWith[];
  tags: string[];
  team_id: string;
  title: string;
  updated_at: string;
  /** private: the owner and whom they share it with */
  visibility: "private" | "team";
}

export interface NotePage {
  items: Note[];
  next_cursor: string | null;
}

export interface NoteBeginEditingReplyItem {
  name: string;
  user_id: string;
}

export interface NoteBeginEditingReply {
  items: NoteBeginEditingReplyItem[];
  next_cursor: string | null;
}

export interface NoteVersion {
  body: string;
  created_at: string;
  created_by: string;
  tags: string[];
  title: string;
  version: number;
}

export interface ListedNoteVersion {
  created_at: string;
  created_by: string;
  title: string;
  version: number;
}

export interface ListedNoteVersionPage {
  items: ListedNoteVersion[];
  next_cursor: string | null;
}
