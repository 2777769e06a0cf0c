/** The rows of two factor. */

import type { Http } from "../http.js";
import { segment } from "../sending.js";
import type { CreatedCompanyOwner } from "../types/companies.js";
import type {
  TwoFactorCreatePasskeyReply,
  TwoFactorEnableReply,
  TwoFactorRecoveryCodes,
} from "../types/two_factor.js";

/** The body of `twoFactor.confirm`. */
export interface ConfirmTwoFactorBody {
  /** The six digits of the authenticator */
  code: string;
}

/** The body of `twoFactor.createPasskey`. */
export interface CreatePasskeyTwoFactorBody {
  /** Unless the session began within the last 15 minutes */
  password?: string;
}

/** The body of `twoFactor.disable`. */
export interface DisableTwoFactorBody {
  /** Unless the session began within the last 15 minutes */
  password?: string;
}

/** The body of `twoFactor.enable`. */
export interface EnableTwoFactorBody {
  /** Leave it off until /api/2fa/confirm had a code */
  confirm?: boolean;
  /** Unless the session began within the last 15 minutes */
  password?: string;
}

/** The body of `twoFactor.renewRecoveryCodes`. */
export interface RenewRecoveryCodesTwoFactorBody {
  /** Unless the session began within the last 15 minutes */
  password?: string;
}

/** Calls of two factor. */
export class TwoFactor {
  constructor(private readonly http: Http) {}

  /** Turn on the two-factor that was begun, with a code of it. Ends all other sessions. */
  confirm(body: ConfirmTwoFactorBody): Promise<CreatedCompanyOwner> {
    return this.http.call("POST", "/api/2fa/confirm", { body });
  }

  /**
   * Turn two-factor on with one's passkeys in the place of an app; recovery codes are shown once. Ends all other
   * sessions.
   */
  createPasskey(body: CreatePasskeyTwoFactorBody = {}): Promise<TwoFactorCreatePasskeyReply> {
    return this.http.call("POST", "/api/2fa/passkeys", { body });
  }

  /** Turn two-factor off; seed and recovery codes are forgotten. Ends all other sessions. */
  disable(body: DisableTwoFactorBody = {}): Promise<void> {
    return this.http.call("DELETE", "/api/2fa", { body });
  }

  /**
   * Turn two-factor on; the secret and the recovery codes are shown once. Ends all other sessions. With confirm it
   * stays off until a code of it came within 15 minutes.
   */
  enable(body: EnableTwoFactorBody = {}): Promise<TwoFactorEnableReply> {
    return this.http.call("POST", "/api/2fa/enable", { body });
  }

  /** How many recovery codes are unspent. */
  recoveryCodes(): Promise<TwoFactorRecoveryCodes> {
    return this.http.call("GET", "/api/2fa/recovery-codes");
  }

  /** A fresh set of recovery codes, shown once; the outstanding ones stop working. */
  renewRecoveryCodes(body: RenewRecoveryCodesTwoFactorBody = {}): Promise<TwoFactorCreatePasskeyReply> {
    return this.http.call("POST", "/api/2fa/recovery-codes", { body });
  }

  /**
   * Turn somebody's two-factor off and end their sessions, so that they enrol again.
   * Needs instance:manage.
   */
  revoke(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/admin/users/${segment(id)}/2fa`);
  }
}
