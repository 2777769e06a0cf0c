/** Calls of the API, typed by its route table. A refusal is thrown as a `Problem`. */

import createClient from "openapi-fetch";

import { connection } from "./connection";
import { sessions } from "../session/store";
import { problemOf, Unreachable } from "./problem";
import type { paths } from "./schema";

/** Resolves when somebody has signed in again, rejects when they would rather not. */
type Renewal = () => Promise<void>;
let renew: Renewal | null = null;

/** Says what to do when a session ends in the middle of something. */
export function onSessionEnd(renewal: Renewal | null): void {
  renew = renewal;
}

/** Asks to sign in again before the session ends by itself. */
export async function renewSession(): Promise<void> {
  await renew?.();
}

/** Resolves to whether whoever is there proved once more who they are. */
type Proof = () => Promise<boolean>;
let prove: Proof | null = null;

/** Says what to do when the server wants to know anew who is there, before it does what was asked for. */
export function onProofWanted(proof: Proof | null): void {
  prove = proof;
}

// What begins a session needs none, and what ends one does not ask for another.
const NEVER_RENEWED = new Set(["/api/login", "/api/logout"]);
export const CONFIRM_PATH = "/api/session/confirm";

/** As `fetch`, with the bearer, and once more after the session was renewed, or proved to be whose it is. */
export async function authorizedFetch(request: Request): Promise<Response> {
  const again = request.clone();
  const { pathname } = new URL(request.url);
  const token = pathname === "/api/login" ? undefined : sessions.current?.token;
  const person = sessions.generation;
  let response = await send(request, token);
  if (response.status === 401 && token && renew && !NEVER_RENEWED.has(pathname)) {
    // Somebody else may have waited, and signed in, before this answer came.
    if (sessions.current?.token === token) await renew();
    // What one person asked for is not asked again as another, who signed in meanwhile.
    if (sessions.generation !== person) return response;
    response = await send(again.clone(), sessions.current?.token);
  }
  if (response.status === 403 && prove && pathname !== CONFIRM_PATH && (await wantsProof(response))) {
    if (!(await prove()) || sessions.generation !== person) return response;
    response = await send(again, sessions.current?.token);
  }
  return response;
}

async function wantsProof(response: Response): Promise<boolean> {
  return (await problemOf(response.clone())).code === "reauthentication_required";
}

async function send(request: Request, token: string | undefined): Promise<Response> {
  if (token) request.headers.set("Authorization", `Bearer ${token}`);
  try {
    const response = await fetch(request);
    // What this device had kept: the server is away.
    if (response.headers.has("x-seen-before")) connection.lost();
    return response;
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    connection.lost();
    throw new Unreachable();
  }
}

export const api = createClient<paths>({ baseUrl: location.origin, fetch: authorizedFetch });

api.use({
  async onResponse({ response }) {
    if (!response.ok) throw await problemOf(response);
  },
});

/** The data of an answer, which is there: a refusal was thrown. */
export async function dataOf<T>(call: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  const { data } = await call;
  return data as NonNullable<T>;
}
