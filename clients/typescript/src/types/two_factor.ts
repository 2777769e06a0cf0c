/** What the API says about two factor. */

export interface TwoFactorCreatePasskeyReply {
  recovery_codes: string[];
}

export interface TwoFactorEnableReply {
  otpauth_uri: string;
  recovery_codes: string[];
  secret: string;
}

export interface TwoFactorRecoveryCodes {
  unspent: number;
}
