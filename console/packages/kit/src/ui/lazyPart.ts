import { lazy } from "react";

import { connection } from "../api/connection";

const NEVER = new AbortController().signal;

/** A part of the console that is loaded when it is first shown. */
export const lazyPart: typeof lazy = (load) => lazy(() => loadPatiently(load));

/** Loads a part; while the server is away it is waited for, and one that is not there after that is gone. */
export async function loadPatiently<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch {
      if (await connection.answers()) break;
      await connection.back(NEVER);
      loadStylesAgain();
    }
  }
  loadStylesAgain();
  return load();
}

/** A stylesheet that did not come is not asked for again by whoever imports its part. */
function loadStylesAgain(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")) {
    if (link.sheet === null) link.replaceWith(link.cloneNode());
  }
}
