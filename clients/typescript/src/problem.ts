/** What a call throws. */

export interface FieldError {
  /** A JSON pointer into the body. */
  pointer: string;
  message: string;
}

export interface ProblemBody {
  title?: string;
  detail?: string;
  code?: string;
  request_id?: string;
  errors?: FieldError[];
  [more: string]: unknown;
}

/** Anything that a client throws on purpose. */
export class GuildhallError extends Error {
  override name = "GuildhallError";
}

/** No answer came, after as many attempts as are allowed. */
export class Unreachable extends GuildhallError {
  override name = "Unreachable";
}

/** The content has changed since its first bytes were read; read it anew. */
export class Changed extends GuildhallError {
  override name = "Changed";
}

/** A refusal of the server (RFC 9457). `code` is stable and made for programs, `detail` for people. */
export class Problem extends GuildhallError {
  override name = "Problem";
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: FieldError[];

  constructor(
    /** Everything that the server said. */
    readonly body: ProblemBody,
    readonly status: number,
    /** After how many seconds to try again, where the server said so. */
    readonly retryAfter: number | null,
  ) {
    const detail = body.detail || body.title || `The server answers ${status}.`;
    super(detail);
    this.detail = detail;
    this.code = body.code ?? `http_${status}`;
    this.requestId = body.request_id ?? null;
    this.errors = body.errors ?? [];
  }
}

export async function problemOf(response: Response): Promise<Problem> {
  const after = retryAfterOf(response);
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null) return new Problem(body as ProblemBody, response.status, after);
  } catch {
    // Something between us and the server answers instead of it.
  }
  return new Problem({ title: response.statusText }, response.status, after);
}

/** The seconds of `Retry-After`, where it tells some. */
export function retryAfterOf(response: Response): number | null {
  const text = response.headers.get("Retry-After")?.trim() ?? "";
  return /^\d{1,7}$/.test(text) ? Number(text) : null;
}
