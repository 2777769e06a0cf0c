/** The rows of mail. */

import type { Http } from "../http.js";
import { Download } from "../downloads.js";

/** The query of `mail.askToUnsubscribe`. */
export interface AskToUnsubscribeMailQuery {
  /** From the mail */
  token?: string;
}

/** The query of `mail.unsubscribe`. */
export interface UnsubscribeMailQuery {
  /** From the mail */
  token?: string;
}

/** Calls of mail. */
export class Mail {
  constructor(private readonly http: Http) {}

  /** A page that ends mails of one kind by one click. */
  askToUnsubscribe(query: AskToUnsubscribeMailQuery = {}): Download {
    return new Download(this.http, "/api/mail/unsubscribe", query);
  }

  /** End mails of one kind to the person whom the mail was for (RFC 8058). */
  unsubscribe(content: BodyInit, query: UnsubscribeMailQuery = {}): Promise<unknown> {
    return this.http.call("POST", "/api/mail/unsubscribe", { content, query });
  }
}
