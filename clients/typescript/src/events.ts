/** Streams of events, taken up again where they broke off. */

import { pause, type Call, type Http } from "./http.js";

export interface ServerEvent {
  event: string;
  /** The text as it came, which is JSON in every stream of Guildhall. */
  data: string;
  id: string | null;
}

const LONGEST_PAUSE = 15;

/**
 * The events of a stream, each once, over as many connections as that takes.
 * What is followed by GET is taken up again with `Last-Event-ID`, until the server has no more; what a POST began is
 * not asked for twice.
 */
export class Events implements AsyncIterable<ServerEvent> {
  /** The id of the last event, with which a later client can go on. */
  lastEventId: string | null;

  constructor(
    private readonly http: Http,
    private readonly method: string,
    private readonly path: string,
    private readonly call: Call & { lastEventId?: string } = {},
  ) {
    this.lastEventId = call.lastEventId ?? null;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ServerEvent> {
    for (let failures = 0; ; ) {
      let heard = false;
      try {
        const headers: Record<string, string> = { Accept: "text/event-stream" };
        if (this.lastEventId !== null) headers["Last-Event-ID"] = this.lastEventId;
        const response = await this.http.open(this.method, this.path, { ...this.call, headers });
        if (response.status === 204 || !response.body) return;
        for await (const event of this.read(response.body)) {
          heard = true;
          failures = 0;
          yield event;
        }
        if (this.method !== "GET") return;
        // It hangs up at once, as a server does that stops.
        if (!heard) await pause(Math.min(LONGEST_PAUSE, 0.25 * 2 ** ++failures));
      } catch (cause) {
        if (this.method !== "GET") throw cause;
        await pause(this.http.afterBreak(cause, ++failures));
      }
    }
  }

  private async *read(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        rest += decoder.decode(value, { stream: true });
        const blocks = rest.split(/\r?\n\r?\n/);
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const event = this.parse(block);
          if (event) yield event;
        }
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  private parse(block: string): ServerEvent | null {
    let event = "message";
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
      const [, name, value = ""] = /^([^:]+):? ?(.*)$/.exec(line) ?? [];
      if (name === "id") this.lastEventId = value;
      else if (name === "event") event = value;
      else if (name === "data") data.push(value);
    }
    return data.length ? { event, data: data.join("\n"), id: this.lastEventId } : null;
  }
}
