/** The client: an address, a token, and the resources behind them. */

import { Download } from "./downloads.js";
import { Events } from "./events.js";
import { Http, type Call, type Retries } from "./http.js";
import { Pages } from "./paging.js";
import { Resources } from "./resources/index.js";
import type { Query } from "./sending.js";

export interface Options {
  /** A session's token or an API token; without one, what is public can be called. */
  token?: string;
  retries?: Partial<Retries>;
  /** Sends the requests instead of `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Ends all calls. */
  signal?: AbortSignal;
}

/** A client of one hall. */
export class Client extends Resources {
  constructor(url: string, { token, retries = {}, fetch: send = (to, init) => fetch(to, init), signal }: Options = {}) {
    super(new Http(url, token, retries, send, signal));
  }

  /** Calls any row, such as one of a plugin. */
  request<T = unknown>(method: string, path: string, call: Call = {}): Promise<T> {
    return this.http.call<T>(method, path, call);
  }

  /** Goes over the list of any row. */
  pages<Item = unknown>(path: string, query: Query = {}): Pages<Item, { items: Item[] }> {
    return new Pages(this.http, path, query);
  }

  /** Follows the events of any row; with `lastEventId` from behind that one on. */
  events(path: string, call: Call & { lastEventId?: string } = {}): Events {
    return new Events(this.http, "GET", path, call);
  }

  /** Reads the bytes of any row. */
  download(path: string, query: Query = {}): Download {
    return new Download(this.http, path, query);
  }
}
