/** The rows of files. */

import type { Http } from "../http.js";
import { Download } from "../downloads.js";
import { Pages } from "../paging.js";
import { segment, segments } from "../sending.js";
import type {
  File,
  FileCreatePlaybackReply,
  FileDerivations,
  FileDiff,
  FileLifecycle,
  FileMoveFolderReply,
  FilePage,
  FilePresignReply,
  FileProcessing,
  FileShareReply,
  FileShareReplyItem,
  FileShareTargets,
  FileText,
  SetLifecycleFileRule,
} from "../types/files.js";

/** The body of `files.createPlayback`. */
export interface CreatePlaybackFileBody {
  /** The number of an older version */
  version?: number;
}

/** The query of `files.createPlayback`. */
export interface CreatePlaybackFileQuery {
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The query of `files.delete`. */
export interface DeleteFileQuery {
  /** 1: it can be brought back, and still counts as storage */
  keep?: boolean;
}

/** The query of `files.diff`. */
export interface DiffFileQuery {
  /** The older version; the one before `to` unless told */
  from?: number;
  /** The newer version; the newest unless told */
  to?: number;
}

/** The query of `files.download`. */
export interface DownloadFileQuery {
  /** The number of an older version */
  version?: number;
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The query of `files.get`. */
export interface GetFileQuery {
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The query of `files.grants`. */
export interface GrantsFileQuery {
  /** How many items at the most */
  limit?: number;
}

/** The query of `files.list`. */
export interface ListFileQuery {
  /** How many items at the most */
  limit?: number;
  /** Only keys that begin with this */
  prefix?: string;
  /** /: what lies right below the prefix, and beside it the folders there */
  delimiter?: "/";
  /** 1: only what others granted to the caller */
  shared?: boolean;
  /** 1: what was deleted and can be brought back */
  deleted?: boolean;
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
  /** name: the key, byte by byte */
  sort?: "name" | "size" | "updated";
  order?: "asc" | "desc";
}

/** The body of `files.move`. */
export interface MoveFileBody {
  /** Where it goes: a key of the same bucket that nothing has */
  key: string;
}

/** The body of `files.moveFolder`. */
export interface MoveFolderFileBody {
  /** A prefix of keys that ends with a slash */
  from: string;
  /** A prefix of keys that ends with a slash */
  to: string;
}

/** The query of `files.play`. */
export interface PlayFileQuery {
  /** The number of an older version */
  version?: number;
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The body of `files.presign`. */
export interface PresignFileBody {
  /** seconds; 900 unless told otherwise */
  expires_in?: number;
  /** what the link is for; GET unless told otherwise */
  method?: "GET" | "PUT";
  /** of a version to GET; the newest unless told otherwise */
  version?: number;
}

/** The body of `files.restore`. */
export interface RestoreFileBody {
  /** Which one becomes the newest again; without it, what was deleted */
  version?: number;
}

/** The body of `files.setLifecycle`. */
export interface SetLifecycleFileBody {
  rules: SetLifecycleFileRule[];
}

/** The body of `files.setVisibility`. */
export interface SetVisibilityFileBody {
  /** private: the owner alone; shared: also whom it was granted to; team: also the team */
  visibility: "private" | "shared" | "team";
}

/** The body of `files.share`. */
export interface ShareFileBody {
  capability?: "view" | "edit" | "manage";
  expires_at?: string | null;
  principal_id?: string;
  principal_type?: "user" | "team";
  user_id?: string;
}

/** The query of `files.thumbnail`. */
export interface ThumbnailFileQuery {
  /** The longest side is at most so long */
  size?: "64" | "256" | "1024";
  /** org: what is visible to any team of the company */
  scope?: "team" | "org";
}

/** The body of `files.unshare`. */
export interface UnshareFileBody {
  principal_id?: string;
  principal_type?: "user" | "team";
  user_id?: string;
}

/** The query of `files.upload`. */
export interface UploadFileQuery {
  /** What a download is called */
  filename?: string;
  /** private: the owner alone; shared: also whom it was granted to; team: also the team */
  visibility?: "private" | "shared" | "team";
}

/** Calls of files. */
export class Files {
  constructor(private readonly http: Http) {}

  /**
   * A path at which a player, which sends no bearer, gets sound or a film, for ten minutes.
   * Needs files:read.
   */
  createPlayback(
    id: string,
    body: CreatePlaybackFileBody = {},
    query: CreatePlaybackFileQuery = {},
  ): Promise<FileCreatePlaybackReply> {
    return this.http.call("POST", `/api/repo-obj/${segment(id)}/playback`, { body, query });
  }

  /**
   * Delete an object with all its versions; keep=1 only hides it until it is restored.
   * Needs files:delete.
   */
  delete(id: string, query: DeleteFileQuery = {}): Promise<void> {
    return this.http.call("DELETE", `/api/repo-obj/${segment(id)}`, { query });
  }

  /**
   * What an object was derived from, and what was derived from it.
   * Needs files:read.
   */
  derivations(id: string): Promise<FileDerivations> {
    return this.http.call("GET", `/api/repo-obj/${segment(id)}/derivations`);
  }

  /**
   * What changed between two versions of a text, as a unified diff.
   * Needs files:read.
   */
  diff(id: string, query: DiffFileQuery = {}): Promise<FileDiff> {
    return this.http.call("GET", `/api/repo-obj/${segment(id)}/diff`, { query });
  }

  /**
   * The bytes of an object, or of an older version; one range of them where asked.
   * Needs files:read.
   */
  download(id: string, query: DownloadFileQuery = {}): Download {
    return new Download(this.http, `/api/repo-obj/${segment(id)}/content`, query);
  }

  /**
   * An object's metadata with its versions, newest first.
   * Needs files:read.
   */
  get(id: string, query: GetFileQuery = {}): Promise<File> {
    return this.http.call("GET", `/api/repo-obj/${segment(id)}`, { query });
  }

  /**
   * Who was granted what on an object, the expired too.
   * Needs files:manage.
   */
  grants(id: string, query: GrantsFileQuery = {}): Pages<FileShareReplyItem, FileShareReply> {
    return new Pages(this.http, `/api/repo-obj/${segment(id)}/grants`, query);
  }

  /**
   * For how long the team's bucket keeps old versions and what was deleted, and what would go now.
   * Needs settings:manage.
   */
  lifecycle(): Promise<FileLifecycle> {
    return this.http.call("GET", "/api/repo-lifecycle");
  }

  /**
   * The objects that the caller can read, by key; scope=org spans the company.
   * Needs files:read.
   */
  list(query: ListFileQuery = {}): Pages<File, FilePage> {
    return new Pages(this.http, "/api/repo", query);
  }

  /**
   * Give an object another key, with its versions, grants and all that is known of it.
   * Needs files:write.
   */
  move(id: string, body: MoveFileBody): Promise<File> {
    return this.http.call("POST", `/api/repo-obj/${segment(id)}/move`, { body });
  }

  /**
   * Give all objects below a prefix another one, as a job; those that cannot be moved stay.
   * Needs files:write.
   */
  moveFolder(body: MoveFolderFileBody): Promise<FileMoveFolderReply> {
    return this.http.call("POST", "/api/repo-folders/move", { body });
  }

  /** Sound or a film, or one range of it, for a player that has a ticket. */
  play(id: string, ticket: string, query: PlayFileQuery = {}): Download {
    return new Download(this.http, `/api/repo-obj/${segment(id)}/playback/${segment(ticket)}`, query);
  }

  /**
   * A link to an object for a while, signed with the caller's newest S3 key.
   * Needs files:read.
   */
  presign(id: string, body: PresignFileBody = {}): Promise<FilePresignReply> {
    return this.http.call("POST", `/api/repo-obj/${segment(id)}/presign`, { body });
  }

  /**
   * What an object was derived from, what was derived from it, and the runs that touched it.
   * Needs files:read.
   */
  processing(id: string): Promise<FileProcessing> {
    return this.http.call("GET", `/api/repo-obj/${segment(id)}/processing`);
  }

  /**
   * Bring back what was deleted, or make an older version the newest again, as a new one.
   * Needs files:read.
   */
  restore(id: string, body: RestoreFileBody = {}): Promise<File> {
    return this.http.call("POST", `/api/repo-obj/${segment(id)}/restore`, { body });
  }

  /**
   * Set all rules at once; those that throw more away than before hold a day later.
   * Needs settings:manage.
   */
  setLifecycle(body: SetLifecycleFileBody): Promise<FileLifecycle> {
    return this.http.call("PUT", "/api/repo-lifecycle", { body });
  }

  /**
   * Make an object private, shared or visible to the team.
   * Needs files:manage.
   */
  setVisibility(id: string, body: SetVisibilityFileBody): Promise<File> {
    return this.http.call("POST", `/api/repo-obj/${segment(id)}/visibility`, { body });
  }

  /**
   * Grant somebody, or a team, a capability on an object; a second time changes it.
   * Needs files:manage.
   */
  share(id: string, body: ShareFileBody = {}): Promise<FileShareReply> {
    return this.http.call("POST", `/api/repo-obj/${segment(id)}/share`, { body });
  }

  /**
   * Whom an object can be shared with: the team's people and the company's teams.
   * Needs files:read.
   */
  shareTargets(): Promise<FileShareTargets> {
    return this.http.call("GET", "/api/share-targets");
  }

  /**
   * The text that was read from an object's newest version, once it is indexed.
   * Needs files:read.
   */
  text(id: string): Promise<FileText> {
    return this.http.call("GET", `/api/repo-obj/${segment(id)}/text`);
  }

  /**
   * A small WebP of a picture, or of the first page of a PDF; 404 where there is none.
   * Needs files:read.
   */
  thumbnail(id: string, query: ThumbnailFileQuery = {}): Download {
    return new Download(this.http, `/api/repo-obj/${segment(id)}/thumbnail`, query);
  }

  /**
   * Revoke what somebody, or a team, was granted on an object.
   * Needs files:manage.
   */
  unshare(id: string, body: UnshareFileBody = {}): Promise<FileShareReply> {
    return this.http.call("POST", `/api/repo-obj/${segment(id)}/unshare`, { body });
  }

  /**
   * Write the raw body to a key: a new object, or a new version of the one that is there.
   * Needs files:write.
   */
  upload(key: string, content: BodyInit, query: UploadFileQuery = {}): Promise<File> {
    return this.http.call("PUT", `/api/repo/${segments(key)}`, { content, query });
  }
}
