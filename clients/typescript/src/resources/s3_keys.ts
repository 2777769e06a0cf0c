/** The rows of s3 keys. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { CreateS3KeyScope, CreatedS3Key, S3Key, S3KeyPage } from "../types/s3_keys.js";

/** The body of `s3Keys.create`. */
export interface CreateS3KeyBody {
  scope?: CreateS3KeyScope;
  /** Seconds; `never` unless told, or with the API token that issues it */
  ttl?: "never" | number;
}

/** The query of `s3Keys.list`. */
export interface ListS3KeyQuery {
  /** How many items at the most */
  limit?: number;
}

/** Calls of s3 keys. */
export class S3Keys {
  constructor(private readonly http: Http) {}

  /** Issue an S3 access key, its secret shown once. A scope narrows it to a prefix and to permissions. */
  create(body: CreateS3KeyBody = {}): Promise<CreatedS3Key> {
    return this.http.call("POST", "/api/s3/credentials", { body });
  }

  /** Revoke an S3 access key, and with it every link that it signed. */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/s3/credentials/${segment(id)}`);
  }

  /** The caller's S3 access keys, without their secrets, and where to use them. */
  list(query: ListS3KeyQuery = {}): Pages<S3Key, S3KeyPage> {
    return new Pages(this.http, "/api/s3/credentials", query);
  }
}
