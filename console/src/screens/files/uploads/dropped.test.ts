import { expect, test } from "vitest";

import { UNREADABLE } from "./content";
import { wantedFromDrop } from "./dropped";

const file = (path: string, content: Blob | null) => ({
  isFile: true,
  fullPath: path,
  file: (resolve: (found: Blob) => void, reject: (cause: Error) => void) => (content ? resolve(content) : reject(new Error("gone"))),
});

function folder(path: string, ...children: object[]) {
  const batches = [children, []];
  return { isFile: false, fullPath: path, createReader: () => ({ readEntries: (resolve: (found: object[]) => void) => resolve(batches.shift() ?? []) }) };
}

test("what cannot be read in a folder that is dropped is listed, and everything else is taken", async () => {
  const content = new Blob(["a"]);
  const root = folder("/plans", file("/plans/gone.txt", null), folder("/plans/old", file("/plans/old/a.txt", content)));
  const data = { items: [{ webkitGetAsEntry: () => root }], files: [] } as unknown as DataTransfer;
  expect(await wantedFromDrop(data, "inbox/")).toEqual([
    { key: "inbox/plans/gone.txt", file: UNREADABLE },
    { key: "inbox/plans/old/a.txt", file: content },
  ]);
});
