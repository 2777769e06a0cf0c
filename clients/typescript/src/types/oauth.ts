/** What the API says about oauth. */

export interface OauthConsentReply {
  redirect_to: string;
}

export interface OauthConsentCheckReplyClient {
  id: string;
  name: string;
}

export interface OauthConsentCheckReplyPermission {
  description: string;
  name: string;
}

export interface OauthConsentCheckReply {
  answers_to: string | null;
  client: OauthConsentCheckReplyClient;
  permissions: OauthConsentCheckReplyPermission[];
  team: OauthConsentCheckReplyClient;
}
