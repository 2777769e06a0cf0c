/** What the API says about email. */

export interface EmailConfirmReply {
  email: string | null;
}
