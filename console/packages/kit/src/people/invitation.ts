/** What to hand to somebody who is to set a password. */
export const activationLink = (token: string) => `${location.origin}/activate#token=${token}`;
