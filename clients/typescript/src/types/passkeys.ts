/** What the API says about passkeys. */

export interface Passkey {
  created_at: string;
  id: string;
  last_used_at: string | null;
  name: string;
  /** It verifies its owner, and so signs in without a password */
  signs_in: boolean;
  /** Its maker keeps copies of it on further devices */
  synced: boolean;
}

export interface PasskeyPage {
  items: Passkey[];
  next_cursor: string | null;
}

export interface PasskeyCreateOptionReplyExcludeCredential {
}

export interface PasskeyCreateOptionReplyRp {
  id: string;
  name: string;
}

export interface PasskeyCreateOptionReplyUser {
  displayName: string;
  id: string;
  name: string;
}

export interface PasskeyCreateOptionReply {
  challenge: string;
  excludeCredentials: PasskeyCreateOptionReplyExcludeCredential[];
  pubKeyCredParams: PasskeyCreateOptionReplyExcludeCredential[];
  rp: PasskeyCreateOptionReplyRp;
  user: PasskeyCreateOptionReplyUser;
}

export interface RegisterPasskeyCredential {
}
