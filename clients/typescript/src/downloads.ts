/** Content as bytes, read as it comes and gone on with where a connection breaks. */

import { pause, type Http } from "./http.js";
import { Changed } from "./problem.js";
import type { Query } from "./sending.js";

/** The bytes of something; nothing is asked for before they are read. */
export class Download implements AsyncIterable<Uint8Array> {
  private etag: string | null = null;
  /** What type it is, once something was read. */
  contentType: string | null = null;

  constructor(
    private readonly http: Http,
    private readonly path: string,
    private readonly query: Query = {},
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (let failures = 0; ; ) {
      const headers: Record<string, string> = { Accept: "*/*" };
      if (at && this.etag) Object.assign(headers, { Range: `bytes=${at}-`, "If-Range": this.etag });
      const response = await this.http.open("GET", this.path, { query: this.query, headers });
      if (at && response.status !== 206) throw new Changed("the content has changed since its first bytes were read");
      this.etag = response.headers.get("ETag");
      this.contentType = response.headers.get("Content-Type");
      const reader = response.body?.getReader();
      try {
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
          if (done || !value) return;
          at += value.length;
          failures = 0;
          yield value;
        }
      } catch (cause) {
        if (!this.etag) throw cause;
        await pause(this.http.afterBreak(cause, ++failures));
      } finally {
        await reader?.cancel().catch(() => undefined);
      }
    }
  }

  /** All of it. */
  async blob(): Promise<Blob> {
    const blocks: BlobPart[] = [];
    for await (const block of this) blocks.push(block as Uint8Array<ArrayBuffer>);
    return new Blob(blocks, { type: this.contentType ?? "" });
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await (await this.blob()).arrayBuffer());
  }

  async text(): Promise<string> {
    return (await this.blob()).text();
  }
}
