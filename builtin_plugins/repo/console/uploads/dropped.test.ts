import { expect, test } from "vitest";

import { Unreadable, wantedFromDrop } from "./dropped";
import { UploadQueue, type Sent } from "./queue";

const file = (path: string, read: (done: (file: File) => void, fail: () => void) => void) => ({
  isFile: true,
  fullPath: path,
  file: read,
});
const whole = (path: string) => file(path, (done) => done({ size: 1 } as File));
const folder = (path: string, children: object[], isReadable = true) => ({
  isFile: false,
  fullPath: path,
  createReader: () => {
    const portions = [children, []];
    return { readEntries: (done: (entries: object[]) => void, fail: () => void) => (isReadable ? done(portions.shift() ?? []) : fail()) };
  },
});
const dropOf = (...roots: object[]) =>
  ({ items: roots.map((root) => ({ webkitGetAsEntry: () => root })), files: [] }) as unknown as DataTransfer;

test("what cannot be read is named, and the others are taken", async () => {
  let isLocked = true;
  const locked = file("/plans/locked.txt", (done, fail) => (isLocked ? fail() : done({ size: 5 } as File)));
  const drop = dropOf(folder("/plans", [whole("/plans/a.txt"), locked, folder("/plans/secret", [], false), whole("/plans/b.txt")]), whole("/c.txt"));
  const wanted = await wantedFromDrop(drop, "team/");
  expect(wanted.map(({ key, refused }) => [key, refused?.problem instanceof Unreadable])).toEqual([
    ["team/plans/a.txt", false],
    ["team/plans/locked.txt", true],
    ["team/plans/secret", true],
    ["team/plans/b.txt", false],
    ["team/c.txt", false],
  ]);

  const sent: [string, number][] = [];
  const queue = new UploadQueue(async ({ key, file: { size } }) => (sent.push([key, size]), { object: {}, isNewVersion: false }) as unknown as Sent);
  queue.add(wanted);
  await expect.poll(() => queue.total()).toMatchObject({ done: 3, refused: 2 });
  expect(sent.map(([key]) => key)).toEqual(["team/plans/a.txt", "team/plans/b.txt", "team/c.txt"]);
  // Tried again it is read again, and nothing empty is sent.
  const id = queue.list().find((one) => queue.get(one)?.key === "team/plans/locked.txt") ?? 0;
  queue.retry(id);
  await expect.poll(() => queue.get(id)?.state).toBe("refused");
  isLocked = false;
  queue.retry(id);
  await expect.poll(() => queue.get(id)?.state).toBe("done");
  expect(sent.at(-1)).toEqual(["team/plans/locked.txt", 5]);
  queue.dismissDone();
  expect(queue.list().map((one) => queue.get(one)?.key)).toEqual(["team/plans/secret"]);
});
