/** What the API says about preferences. */

export interface Preference {
  default: unknown;
  help: string;
  /** Whose it is */
  holder: "team" | "company";
  /** Whether the caller may change it */
  may_write: boolean;
  name: string;
  plugin: string;
  /** What a value must be */
  schema: Record<string, unknown>;
  title: string | null;
  updated_at: string | null;
  /** The value that holds */
  value: unknown;
  /** How often it was changed; also its ETag */
  version: number;
}

export interface PreferencesList {
  items: Preference[];
  next_cursor: string | null;
}
