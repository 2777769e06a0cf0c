/** A sign-in elsewhere that this tab began: whoever comes back from any other is asked first who they are. */

import { readStored, writeStored } from "../device";

interface Departure {
  way: string;
  at: number;
}

const KEY = "guildhall.departure";
/** As long as the server takes an answer to a sign-in. */
const LASTS_MS = 10 * 60_000;

/** Notes that this tab goes to sign in by a way. */
export function depart(way: string): void {
  writeStored(KEY, { way, at: Date.now() } satisfies Departure, sessionStorage);
}

/** Tells whether a token is what this tab came back with from where it went; a departure counts once. */
export async function isReturn(token: string): Promise<boolean> {
  const departure = readStored<Departure>(KEY, sessionStorage);
  writeStored(KEY, null, sessionStorage);
  // Without https, but on this machine, nothing can be hashed here: then one is asked.
  if (departure === null || Date.now() - departure.at > LASTS_MS || !globalThis.crypto.subtle) return false;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)));
  const arrival = `${departure.way}.${Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const name = location.protocol === "https:" ? "__Host-gh_arrival" : "gh_arrival";
  return document.cookie.split("; ").includes(`${name}=${arrival}`);
}
