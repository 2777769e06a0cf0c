/** What the server refused, in its own words (RFC 9457), or why it could not be reached. */

export interface FieldFault {
  pointer: string;
  message: string;
}

export interface ProblemBody {
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id?: string;
  errors?: FieldFault[];
  [extra: string]: unknown;
}

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly faults: FieldFault[];
  /** After how many seconds to try again, where the server said so. */
  readonly retryAfter: number | null;
  readonly body: ProblemBody;

  constructor(body: ProblemBody, retryAfter: number | null = null) {
    super(body.detail || body.title);
    this.name = "Problem";
    this.body = body;
    this.status = body.status;
    this.code = body.code;
    this.requestId = body.request_id ?? null;
    this.faults = body.errors ?? [];
    this.retryAfter = retryAfter;
  }

  /** The server's words about one field of a form, by its JSON pointer. */
  at(pointer: string): string | undefined {
    return this.faults.find((fault) => fault.pointer === pointer)?.message;
  }
}

/** The server did not answer at all. */
export class Unreachable extends Problem {
  constructor() {
    super({ title: "Unreachable", status: 0, detail: "", code: "unreachable" });
    this.name = "Unreachable";
  }
}

export async function problemOf(response: Response): Promise<Problem> {
  const after = Number(response.headers.get("Retry-After"));
  const retryAfter = Number.isFinite(after) && after > 0 ? after : null;
  try {
    const body = (await response.json()) as ProblemBody;
    if (typeof body.code === "string") return new Problem(body, retryAfter);
  } catch {
    // Whatever stands between us and the server answered instead of it.
  }
  const body = { title: response.statusText, status: response.status, detail: "", code: `http_${response.status}` };
  return new Problem(body, retryAfter);
}
