/** The rows of email. */

import type { Http } from "../http.js";
import type { EmailConfirmReply } from "../types/email.js";

/** The body of `email.confirm`. */
export interface ConfirmEmailBody {
  token: string;
}

/** Calls of email. */
export class Email {
  constructor(private readonly http: Http) {}

  /** Put the caller's new e-mail address in place, with the token that was mailed there. */
  confirm(body: ConfirmEmailBody): Promise<EmailConfirmReply> {
    return this.http.call("POST", "/api/email/confirm", { body });
  }
}
