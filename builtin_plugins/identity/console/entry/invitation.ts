/** The two kinds of links that set a password: those made for somebody, and a new colleague's first session. */

import { api, dataOf } from "@guildhall/console/api/client";
import { problemOf, Problem, Unreachable } from "@guildhall/console/api/problem";
import type { Identity } from "@guildhall/console/session/identity";
import type { Session } from "@guildhall/console/session/store";

const FIRST_SESSION = "ghs_";

export const isFirstSession = (token: string) => token.startsWith(FIRST_SESSION);

/** Whom a colleague's link is for; null where it works no more. */
export async function invitedBy(token: string): Promise<Identity | null> {
  const response = await asInvited(token, "GET", "/api/whoami");
  if (response.status === 401) return null;
  return (await answerOf(response)) as Identity;
}

/** Sets the password and signs in by it; the link's own session ends, so that the link works once. */
export async function acceptInvitation(token: string, username: string, password: string): Promise<Session> {
  await answerOf(await asInvited(token, "POST", "/api/password", { new_password: password }));
  const signedIn = await dataOf(api.POST("/api/login", { body: { username, password } }));
  await asInvited(token, "POST", "/api/logout");
  return { token: signedIn.token, expiresAt: signedIn.expires_at, kept: false };
}

/** Begins a session in the place of a link's own, which ends; null where that has ended before. */
export async function takeOver(token: string): Promise<Session | null> {
  const who = await invitedBy(token);
  if (!who) return null;
  const made = (await answerOf(await asInvited(token, "POST", "/api/session/team", { team: who.team.id }))) as { token: string; expires_at: string };
  await asInvited(token, "POST", "/api/logout");
  return { token: made.token, expiresAt: made.expires_at, kept: false };
}

/** Sets the password of whoever holds a link; null where they sign in with a second factor, which is asked for then. */
export async function activate(token: string, password: string): Promise<Session | null> {
  const made = await dataOf(api.POST("/api/activate", { body: { token, password } }));
  return made.token === null ? null : { token: made.token, expiresAt: made.expires_at, kept: false };
}

/** The language in which somebody read their invitation is theirs from now on. */
export async function keepLanguage({ token }: Session, locale: string): Promise<void> {
  // Where it cannot be kept, in a company that is suspended, say, they are in all the same.
  await asInvited(token, "POST", "/api/profile", { locale }).catch(() => undefined);
}

/** Not by the client, which would send the bearer of whoever is signed in here already. */
async function asInvited(token: string, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, ...(body !== undefined && { "Content-Type": "application/json" }) };
  try {
    return await fetch(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  } catch {
    throw new Unreachable();
  }
}

async function answerOf(response: Response): Promise<unknown> {
  if (!response.ok) throw await problemOf(response);
  return response.json();
}

/** Whether a refusal says that the link itself is of no use. */
export function isSpent(problem: unknown): boolean {
  return problem instanceof Problem && (problem.code === "activation_invalid" || problem.code === "unauthenticated" || problem.at("/current_password") !== undefined);
}
