/** What the API says about s3 keys. */

import type { Permission } from "./permissions.js";

export interface S3KeyScope {
  permissions?: string[];
  prefix?: string;
}

export interface S3Key {
  access_key_id: string;
  created_at: string;
  expires_at: string | null;
  id: string;
  last_used_at: string | null;
  scope: S3KeyScope;
}

export interface S3KeyPage {
  bucket: string;
  endpoint: string;
  items: S3Key[];
  next_cursor: string | null;
  region: string;
}

export interface CreatedS3Key {
  access_key_id: string;
  bucket: string;
  endpoint: string;
  expires_at: string | null;
  id: string;
  region: string;
  scope: S3KeyScope;
  secret_access_key: string;
}

export interface CreateS3KeyScope {
  permissions?: Permission[];
  /** keys that do not begin so are out of reach */
  prefix?: string;
}
