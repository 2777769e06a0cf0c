/** The rows of features. */

import type { Http } from "../http.js";
import { segment } from "../sending.js";
import type { FeatureSetReply, FeaturesList } from "../types/features.js";

/** The body of `features.set`. */
export interface SetFeatureBody {
  enabled: boolean;
}

/** Calls of features. */
export class Features {
  constructor(private readonly http: Http) {}

  /** The team's feature flags. */
  list(): Promise<FeaturesList> {
    return this.http.call("GET", "/api/features");
  }

  /**
   * Turn a feature on or off for the team.
   * Needs settings:manage.
   */
  set(name: string, body: SetFeatureBody): Promise<FeatureSetReply> {
    return this.http.call("POST", `/api/features/${segment(name)}`, { body });
  }
}
