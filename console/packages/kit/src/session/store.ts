/** The bearer: in memory, in `sessionStorage` over a reload, from another tab by asking, and on disk only by choice. */

import { readStored, writeStored } from "../device";

export interface Session {
  token: string;
  expiresAt: string | null;
  /** Whether this device was asked to remember it. */
  kept: boolean;
  /** The sessions in other teams that this one came from: they end with it. */
  before?: string[];
}

const KEY = "guildhall.session";
const ASK_MS = 150;

type Listener = (session: Session | null) => void;
type TabMessage =
  | { type: "ask" }
  | { type: "session"; session: Session }
  | { type: "renewed"; session: Session; instead: string }
  | { type: "ended"; tokens: string[] };

export class SessionStore {
  private session: Session | null;
  private people = 0;
  private readonly listeners = new Set<Listener>();
  private readonly channel = new BroadcastChannel("guildhall.session");

  constructor() {
    this.session = read(sessionStorage) ?? read(localStorage);
    this.channel.onmessage = (event: MessageEvent<TabMessage>) => this.hear(event.data);
  }

  get current(): Session | null {
    return this.session;
  }

  /** Another figure for each person who signed in here; the same while one session follows another. */
  get generation(): number {
    return this.people;
  }

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  begin(session: Session): void {
    this.people += 1;
    this.set(session);
    this.channel.postMessage({ type: "session", session } satisfies TabMessage);
  }

  /** Goes on as the same person with another session, here and in the tabs that had the one before. */
  renew(session: Session): void {
    const instead = this.session?.token ?? "";
    this.set(session);
    this.channel.postMessage({ type: "renewed", session, instead } satisfies TabMessage);
  }

  /** Forgets a session that the server no longer knows, in this tab. */
  forget(): void {
    this.set(null);
  }

  end(): void {
    const tokens = tokensOf(this.session);
    this.set(null);
    this.channel.postMessage({ type: "ended", tokens } satisfies TabMessage);
  }

  /** Asks the other tabs of this browser whether one of them is signed in. */
  async askOtherTabs(): Promise<void> {
    if (this.session) return;
    this.channel.postMessage({ type: "ask" } satisfies TabMessage);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ASK_MS);
      const stop = this.subscribe(() => (clearTimeout(timer), stop(), resolve()));
    });
  }

  private hear(message: TabMessage): void {
    if (message.type === "ask" && this.session) {
      this.channel.postMessage({ type: "session", session: this.session } satisfies TabMessage);
    } else if (message.type === "session" && !this.session) {
      this.people += 1;
      this.set(message.session);
    } else if (message.type === "renewed" && this.session?.token === message.instead) {
      this.set(message.session);
    } else if (message.type === "ended" && this.session) {
      // A tab in another team has a session of its own.
      const own = tokensOf(this.session).filter((token) => !message.tokens.includes(token));
      this.set(null);
      void revoke(own);
    }
  }

  private set(session: Session | null): void {
    this.session = session;
    writeStored(KEY, session, sessionStorage);
    writeStored(KEY, session?.kept ? session : null, localStorage);
    this.listeners.forEach((listener) => listener(session));
  }
}

/** A session, and those in other teams that it came from. */
export const tokensOf = (session: Session | null): string[] => (session ? [session.token, ...(session.before ?? [])] : []);

/** Ends the session and those it came from; returns where the one at another sign-in server is ended, if there is one. */
export async function signOut([own, ...others]: readonly string[]): Promise<string | null> {
  if (!own) return null;
  const answer = await fetch("/api/auth/logout", { method: "POST", headers: { Authorization: `Bearer ${own}` }, keepalive: true }).catch(() => null);
  const url = answer?.ok ? ((await answer.json()) as { url: string | null }).url : null;
  await revoke(answer?.ok ? others : [own, ...others]);
  return url;
}

/** Ends sessions on the server; what cannot be ended there any more is no fault. */
export async function revoke(tokens: readonly string[]): Promise<void> {
  const ends = tokens.map((token) => fetch("/api/logout", { method: "POST", headers: { Authorization: `Bearer ${token}` }, keepalive: true }));
  await Promise.allSettled(ends);
}

function read(storage: Storage): Session | null {
  const stored = readStored(KEY, storage);
  return isSession(stored) ? stored : null;
}

function isSession(value: unknown): value is Session {
  return typeof value === "object" && value !== null && typeof (value as Session).token === "string";
}

export const sessions = new SessionStore();
