/** The rows of account. */

import type { Http } from "../http.js";
import type {
  Account2,
  AccountActivateReply,
  AccountBootstrapReply,
  AccountChangeTeamReply,
  AccountForgotReply,
  AccountWhoami,
  ConfirmAccountPasskey,
} from "../types/account.js";
import type { CreatedCompanyOwner } from "../types/companies.js";

/** The body of `account.activate`. */
export interface ActivateAccountBody {
  password: string;
  token: string;
}

/** The body of `account.bootstrap`. */
export interface BootstrapAccountBody {
  display_name?: string;
  /** A language tag, such as nl-BE */
  locale?: string;
  org?: string;
  password: string;
  team?: string;
  /** Unique on the instance, without case */
  username: string;
}

/** The body of `account.changePassword`. */
export interface ChangePasswordAccountBody {
  current_password?: string;
  new_password: string;
}

/** The body of `account.changeTeam`. */
export interface ChangeTeamAccountBody {
  /** The team's id or slug */
  team: string;
}

/** The body of `account.confirm`. */
export interface ConfirmAccountBody {
  /** The answer of a passkey, as WebAuthn's JSON, in place of totp */
  passkey?: ConfirmAccountPasskey;
  password?: string;
}

/** The body of `account.forgot`. */
export interface ForgotAccountBody {
  email?: string;
  username?: string;
}

/** The body of `account.login`. */
export interface LoginAccountBody {
  /** Tie what this browser just proved elsewhere to this person */
  link?: boolean;
  /** The answer of a passkey, as WebAuthn's JSON, in place of totp */
  passkey?: ConfirmAccountPasskey;
  password: string;
  /** In place of totp; each works once */
  recovery_code?: string;
  /** The team's id or slug */
  team?: string;
  /** The six digits of the authenticator */
  totp?: string;
  username: string;
  /** The id of a way to sign in that takes these */
  way?: string;
}

/** The body of `account.resetPassword`. */
export interface ResetPasswordAccountBody {
  password: string;
  token: string;
}

/** The body of `account.updateProfile`. */
export interface UpdateProfileAccountBody {
  display_name?: string;
  email?: string | null;
  /** A language tag, such as nl-BE */
  locale?: string;
  /** For a new e-mail address where mail is set up, unless the session began within the last 15 minutes */
  password?: string;
}

/** Calls of account. */
export class Account {
  constructor(private readonly http: Http) {}

  /**
   * Set a password with the token of an invitation, or of another link from an admin; it works once. Begins a
   * session, unless two-factor is on.
   */
  activate(body: ActivateAccountBody): Promise<AccountActivateReply> {
    return this.http.call("POST", "/api/activate", { body });
  }

  /** Set the instance up: the operator, the first company and its team. Works once. */
  bootstrap(body: BootstrapAccountBody): Promise<AccountBootstrapReply> {
    return this.http.call("POST", "/api/bootstrap", { body });
  }

  /** Change the caller's password; every other session of theirs ends. */
  changePassword(body: ChangePasswordAccountBody): Promise<CreatedCompanyOwner> {
    return this.http.call("POST", "/api/password", { body });
  }

  /** Get a session in another of the caller's teams; it ends when this one does. */
  changeTeam(body: ChangeTeamAccountBody): Promise<AccountChangeTeamReply> {
    return this.http.call("POST", "/api/session/team", { body });
  }

  /**
   * Prove once more who is there, by password or passkey, before what asks for it. Without either the refusal has
   * the options for a passkey.
   */
  confirm(body: ConfirmAccountBody = {}): Promise<void> {
    return this.http.call("POST", "/api/session/confirm", { body });
  }

  /**
   * Mail a link to set the password anew, to whoever has this username or address. The answer is the same where
   * there is nobody.
   */
  forgot(body: ForgotAccountBody = {}): Promise<AccountForgotReply> {
    return this.http.call("POST", "/api/password/forgot", { body });
  }

  /** The caller's profile, with their e-mail address. */
  get(): Promise<Account2> {
    return this.http.call("GET", "/api/profile");
  }

  /** Sign in with username and password, and with a TOTP or recovery code where two-factor is on. */
  login(body: LoginAccountBody): Promise<AccountChangeTeamReply> {
    return this.http.call("POST", "/api/login", { body, keyed: false });
  }

  /** End this session. */
  logout(): Promise<void> {
    return this.http.call("POST", "/api/logout", { keyed: false });
  }

  /**
   * Set a password anew with the token of a link from an admin, or of an invitation; it works once. Ends all
   * sessions, and begins one unless two-factor is on.
   */
  resetPassword(body: ResetPasswordAccountBody): Promise<AccountActivateReply> {
    return this.http.call("POST", "/api/password/reset", { body });
  }

  /**
   * Change the caller's display name, locale and e-mail address. Where mail is set up, a new address holds once the
   * link that is mailed there was opened.
   */
  updateProfile(body: UpdateProfileAccountBody = {}): Promise<Account2> {
    return this.http.call("POST", "/api/profile", { body });
  }

  /** Who the caller is and what they may do. */
  whoami(): Promise<AccountWhoami> {
    return this.http.call("GET", "/api/whoami");
  }
}
