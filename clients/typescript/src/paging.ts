/** Lists that go over all pages, each asked for when it is needed. */

import type { Http } from "./http.js";
import type { Query } from "./sending.js";

/** The items of a list: `for await (const note of hall.notes.list())`. */
export class Pages<Item, Page> implements AsyncIterable<Item> {
  constructor(
    private readonly http: Http,
    private readonly path: string,
    private readonly query: Query = {},
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for await (const page of this.pages()) yield* (page as { items: Item[] }).items;
  }

  /** Whole pages: some lists tell more than their items. */
  async *pages(): AsyncGenerator<Page> {
    let cursor: string | null | undefined;
    do {
      const query = { ...this.query, ...(cursor && { cursor }) };
      const page: Page & { next_cursor?: string | null } = await this.http.call("GET", this.path, { query });
      yield page as Awaited<Page>;
      cursor = page.next_cursor;
    } while (cursor);
  }

  /** So many items at most, and no page more than they take. */
  async first(count: number): Promise<Item[]> {
    const found: Item[] = [];
    if (count <= 0) return found;
    for await (const item of this) {
      found.push(item);
      if (found.length === count) break;
    }
    return found;
  }
}
