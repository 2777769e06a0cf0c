/** The rows of team secrets. */

import type { Http } from "../http.js";
import { segment } from "../sending.js";
import type { TeamSecret, TeamSecretItem } from "../types/team_secrets.js";

/** The body of `teamSecrets.update`. */
export interface UpdateTeamSecretBody {
  /** The secret; it is never shown again */
  value: string;
}

/** Calls of team secrets. */
export class TeamSecrets {
  constructor(private readonly http: Http) {}

  /**
   * Delete a secret; what uses it fails from then on.
   * Needs settings:manage.
   */
  delete(name: string): Promise<void> {
    return this.http.call("DELETE", `/api/team-secrets/${segment(name)}`);
  }

  /**
   * The names of the team's secrets, all of them; what they hold is shown to nobody.
   * Needs workflows:read.
   */
  get(): Promise<TeamSecret> {
    return this.http.call("GET", "/api/team-secrets");
  }

  /**
   * Store a secret of the team under a name, in place of the one that is there.
   * Needs settings:manage.
   */
  update(name: string, body: UpdateTeamSecretBody): Promise<TeamSecretItem> {
    return this.http.call("PUT", `/api/team-secrets/${segment(name)}`, { body });
  }
}
