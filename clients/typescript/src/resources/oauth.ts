/** The rows of oauth. */

import type { Http } from "../http.js";
import type { OauthConsentCheckReply, OauthConsentReply } from "../types/oauth.js";
import type { Permission } from "../types/permissions.js";

/** The body of `oauth.consent`. */
export interface ConsentOauthBody {
  client_id: string;
  code_challenge?: string;
  code_challenge_method?: string;
  decision: "allow" | "deny";
  /** Those of the asked ones that are allowed; all unless told */
  permissions?: Permission[];
  redirect_uri: string;
  resource?: string;
  response_type: string;
  /** Names of permissions; those of a member unless told */
  scope?: string;
  state?: string;
}

/** The body of `oauth.consentCheck`. */
export interface ConsentCheckOauthBody {
  client_id: string;
  code_challenge?: string;
  code_challenge_method?: string;
  redirect_uri: string;
  resource?: string;
  response_type: string;
  /** Names of permissions; those of a member unless told */
  scope?: string;
  state?: string;
}

/** Calls of oauth. */
export class Oauth {
  constructor(private readonly http: Http) {}

  /** Allow or refuse what a program asks for, in the team of this session; gives the address to go to. */
  consent(body: ConsentOauthBody): Promise<OauthConsentReply> {
    return this.http.call("POST", "/api/oauth/consent", { body });
  }

  /** What a program asks for, in the words of the permissions that the caller could give it. */
  consentCheck(body: ConsentCheckOauthBody): Promise<OauthConsentCheckReply> {
    return this.http.call("POST", "/api/oauth/consent/check", { body });
  }
}
