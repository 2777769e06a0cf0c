/** The rows of preferences. */

import type { Http } from "../http.js";
import { segment } from "../sending.js";
import type { Preference, PreferencesList } from "../types/preferences.js";

/** Calls of preferences. */
export class Preferences {
  constructor(private readonly http: Http) {}

  /** Go back to the default. */
  delete(plugin: string, name: string): Promise<void> {
    return this.http.call("DELETE", `/api/preferences/${segment(plugin)}/${segment(name)}`);
  }

  /** One of them, with its ETag. */
  get(plugin: string, name: string): Promise<Preference> {
    return this.http.call("GET", `/api/preferences/${segment(plugin)}/${segment(name)}`);
  }

  /** What the team and the company decide about plugins, as far as the caller may read it. */
  list(): Promise<PreferencesList> {
    return this.http.call("GET", "/api/preferences");
  }

  /** Change one; the body is the value, by its schema. With If-Match only the version that was read. */
  update(plugin: string, name: string): Promise<Preference> {
    return this.http.call("PUT", `/api/preferences/${segment(plugin)}/${segment(name)}`);
  }
}
