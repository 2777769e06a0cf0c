/** The rows of notes. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  ListedNoteVersion,
  ListedNoteVersionPage,
  Note,
  NoteBeginEditingReply,
  NotePage,
  NoteVersion,
} from "../types/notes.js";

/** The body of `notes.create`. */
export interface CreateNoteBody {
  body?: string;
  /** In place of those before */
  tags?: string[];
  title: string;
  /** private: the owner and whom they share it with */
  visibility?: "private" | "team";
}

/** The query of `notes.delete`. */
export interface DeleteNoteQuery {
  /** 1: for good, of what lies in the bin */
  forever?: boolean;
}

/** The query of `notes.editing`. */
export interface EditingNoteQuery {
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The query of `notes.get`. */
export interface GetNoteQuery {
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The query of `notes.list`. */
export interface ListNoteQuery {
  /** How many items at the most */
  limit?: number;
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
  /** created and updated: the newest first; title: from A on */
  sort?: "updated" | "created" | "title";
  /** Only notes with this tag, without case */
  tag?: string;
  /** 1: the bin, what was deleted last first */
  deleted?: boolean;
}

/** The body of `notes.share`. */
export interface ShareNoteBody {
  permission: "notes:delete" | "notes:manage" | "notes:read" | "notes:write";
  user_id: string;
}

/** The body of `notes.unshare`. */
export interface UnshareNoteBody {
  user_id: string;
}

/** The body of `notes.update`. */
export interface UpdateNoteBody {
  body?: string;
  /** In place of those before */
  tags?: string[];
  title?: string;
  /** private: the owner and whom they share it with */
  visibility?: "private" | "team";
}

/** The query of `notes.update`. */
export interface UpdateNoteQuery {
  /** 1: saved while somebody types; what its writer autosaves within ten minutes is one version */
  autosave?: boolean;
}

/** The query of `notes.versions`. */
export interface VersionsNoteQuery {
  /** How many items at the most */
  limit?: number;
}

/** Calls of notes. */
export class Notes {
  constructor(private readonly http: Http) {}

  /**
   * Say that one writes in a note, for 25 seconds; answers with the others who do.
   * Needs notes:write.
   */
  beginEditing(id: string): Promise<NoteBeginEditingReply> {
    return this.http.call("POST", `/api/notes/${segment(id)}/editing`);
  }

  /**
   * Create a note, private unless told otherwise.
   * Needs notes:write.
   */
  create(body: CreateNoteBody): Promise<Note> {
    return this.http.call("POST", "/api/notes", { body });
  }

  /**
   * Delete a note: it lies in the bin for 30 days. forever=1 takes it out of there for good.
   * Needs notes:delete.
   */
  delete(id: string, query: DeleteNoteQuery = {}): Promise<void> {
    return this.http.call("DELETE", `/api/notes/${segment(id)}`, { query });
  }

  /**
   * The others who write in a note just now.
   * Needs notes:read.
   */
  editing(id: string, query: EditingNoteQuery = {}): Promise<NoteBeginEditingReply> {
    return this.http.call("GET", `/api/notes/${segment(id)}/editing`, { query });
  }

  /**
   * Say that one writes in a note no more.
   * Needs notes:write.
   */
  endEditing(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/notes/${segment(id)}/editing`);
  }

  /**
   * One note.
   * Needs notes:read.
   */
  get(id: string, query: GetNoteQuery = {}): Promise<Note> {
    return this.http.call("GET", `/api/notes/${segment(id)}`, { query });
  }

  /**
   * The notes that the caller can read, newest first; scope=org spans the company, deleted=1 the bin.
   * Needs notes:read.
   */
  list(query: ListNoteQuery = {}): Pages<Note, NotePage> {
    return new Pages(this.http, "/api/notes", query);
  }

  /**
   * Take a note out of the bin.
   * Needs notes:delete.
   */
  restore(id: string): Promise<Note> {
    return this.http.call("POST", `/api/notes/${segment(id)}/restore`);
  }

  /**
   * Give a note the title, text and tags of an older version, as a new one.
   * Needs notes:write.
   */
  restoreVersion(id: string, number: number): Promise<Note> {
    return this.http.call("POST", `/api/notes/${segment(id)}/versions/${segment(number)}/restore`);
  }

  /**
   * Share a note with somebody of the company; a second time changes what they may do.
   * Needs notes:manage.
   */
  share(id: string, body: ShareNoteBody): Promise<Note> {
    return this.http.call("POST", `/api/notes/${segment(id)}/share`, { body });
  }

  /**
   * End a share.
   * Needs notes:manage.
   */
  unshare(id: string, body: UnshareNoteBody): Promise<void> {
    return this.http.call("DELETE", `/api/notes/${segment(id)}/share`, { body });
  }

  /**
   * Change a note; fields that are left out stay as they are.
   * Needs notes:write.
   */
  update(id: string, body: UpdateNoteBody = {}, query: UpdateNoteQuery = {}): Promise<Note> {
    return this.http.call("PUT", `/api/notes/${segment(id)}`, { body, query });
  }

  /**
   * One version of a note, with its text.
   * Needs notes:read.
   */
  version(id: string, number: number): Promise<NoteVersion> {
    return this.http.call("GET", `/api/notes/${segment(id)}/versions/${segment(number)}`);
  }

  /**
   * The versions of a note, the one that it has now first.
   * Needs notes:read.
   */
  versions(id: string, query: VersionsNoteQuery = {}): Pages<ListedNoteVersion, ListedNoteVersionPage> {
    return new Pages(this.http, `/api/notes/${segment(id)}/versions`, query);
  }
}
