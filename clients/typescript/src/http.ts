/** Requests, sent until they are answered; a refusal is thrown. */

import { problemOf, retryAfterOf, Unreachable } from "./problem.js";
import { newKey, words, type Query } from "./sending.js";

export interface Retries {
  /** How often a request is sent again. */
  attempts: number;
  /** A `Retry-After` beyond these seconds is for the caller to wait out. */
  longestWait: number;
  firstWait: number;
}

export interface Call {
  query?: Query;
  body?: unknown;
  /** Bytes, sent as they are. */
  content?: BodyInit;
  headers?: Record<string, string>;
  /** Whether a POST carries an `Idempotency-Key`, so that it happens once however often it is sent. */
  keyed?: boolean;
  idempotencyKey?: string;
}

type Sending = (url: string, init: RequestInit) => Promise<Response>;

const SAFE = new Set(["GET", "HEAD", "PUT"]);
const PASSING = new Set([429, 502, 503, 504]);

export class Http {
  readonly retries: Retries;
  private readonly base: string;

  constructor(
    url: string,
    private readonly token: string | undefined,
    retries: Partial<Retries>,
    private readonly send: Sending,
    private readonly signal: AbortSignal | undefined,
  ) {
    const parts = new URL(url);
    if (!/^https?:$/.test(parts.protocol) || parts.username || parts.password || parts.search || parts.hash) {
      throw new TypeError("the address of a hall begins with https:// and has no name, password or query in it");
    }
    this.base = url.replace(/\/+$/, "");
    this.retries = { attempts: 3, longestWait: 60, firstWait: 0.5, ...retries };
  }

  /** What a row answers, as JSON. */
  async call<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const headers: Record<string, string> = { Accept: "application/json", ...call.headers };
    if (method === "POST" && (call.keyed ?? true)) headers["Idempotency-Key"] = call.idempotencyKey ?? newKey();
    const response = await this.open(method, path, { ...call, headers });
    const text = await response.text();
    return (text ? JSON.parse(text) : null) as T;
  }

  /** A response whose body is still to be read. */
  async open(method: string, path: string, call: Call = {}): Promise<Response> {
    const headers: Record<string, string> = { ...call.headers };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (call.body !== undefined) headers["Content-Type"] = "application/json";
    const body = call.content ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    // A stream can be sent once, and by halves.
    const once = body instanceof ReadableStream;
    const init = { method, headers, body, signal: this.signal, ...(once && { duplex: "half" }) } as RequestInit;
    const url = this.base + path + words(call.query ?? {});
    const safe = SAFE.has(method) || "Idempotency-Key" in headers;
    for (let attempt = 0; ; attempt += 1) {
      const last = once || attempt >= this.retries.attempts;
      let wait = this.retries.firstWait * 2 ** attempt;
      try {
        const response = await this.send(url, init);
        if (response.ok) return response;
        const told = retryAfterOf(response);
        const again = PASSING.has(response.status) && (told === null ? safe : told <= this.retries.longestWait);
        if (last || !again) throw await problemOf(response);
        wait = told ?? wait;
      } catch (cause) {
        if (!(cause instanceof TypeError) || this.signal?.aborted) throw cause;
        if (last || !safe) throw new Unreachable(`${new URL(this.base).host} does not answer`, { cause });
      }
      await pause(wait);
    }
  }

  /** After how many seconds to take something up again that broke; throws what broke it where it is not. */
  afterBreak(cause: unknown, failures: number): number {
    if (this.signal?.aborted || !(cause instanceof TypeError) || failures > this.retries.attempts) throw cause;
    return this.retries.firstWait * 2 ** failures;
  }
}

export function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
