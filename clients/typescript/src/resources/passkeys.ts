/** The rows of passkeys. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Passkey, PasskeyCreateOptionReply, PasskeyPage, RegisterPasskeyCredential } from "../types/passkeys.js";

/** The query of `passkeys.list`. */
export interface ListPasskeyQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `passkeys.register`. */
export interface RegisterPasskeyBody {
  /** What the browser answered, as WebAuthn's JSON */
  credential: RegisterPasskeyCredential;
  /** What its owner calls it */
  name?: string;
}

/** The body of `passkeys.update`. */
export interface UpdatePasskeyBody {
  /** What its owner calls it */
  name: string;
}

/** Calls of passkeys. */
export class Passkeys {
  constructor(private readonly http: Http) {}

  /** WebAuthn's options for a new passkey of the caller. Wants a session of the last 15 minutes. */
  createOption(): Promise<PasskeyCreateOptionReply> {
    return this.http.call("POST", "/api/passkeys/options");
  }

  /**
   * Remove one of the caller's own passkeys; every other session of theirs ends. Wants a session of the last 15
   * minutes.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/passkeys/${segment(id)}`);
  }

  /** The caller's own passkeys, newest first. */
  list(query: ListPasskeyQuery = {}): Pages<Passkey, PasskeyPage> {
    return new Pages(this.http, "/api/passkeys", query);
  }

  /** Add the passkey that the browser made for these options. */
  register(body: RegisterPasskeyBody): Promise<Passkey> {
    return this.http.call("POST", "/api/passkeys/register", { body });
  }

  /** Give one of the caller's own passkeys another name. */
  update(id: string, body: UpdatePasskeyBody): Promise<Passkey> {
    return this.http.call("PATCH", `/api/passkeys/${segment(id)}`, { body });
  }
}
