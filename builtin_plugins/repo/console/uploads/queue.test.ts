import { expect, test } from "vitest";

import type { StoredObject } from "../objects";
import { UploadQueue, type Sent, type Wanted } from "./queue";

const file = (size: number) => new Blob([new Uint8Array(size)]);

/** A sender whose uploads end when the test says so. */
function sender() {
  const open = new Map<string, { resolve: (sent: Sent) => void; reject: (cause: unknown) => void; onSent: (bytes: number) => void }>();
  const started: string[] = [];
  const queue = new UploadQueue(
    ({ key }: Wanted, onSent, signal) =>
      new Promise<Sent>((resolve, reject) => {
        started.push(key);
        open.set(key, { resolve, reject, onSent });
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      }),
    2,
  );
  const finish = async (key: string, isNewVersion = false) => {
    open.get(key)?.resolve({ object: { id: key, key } as StoredObject, isNewVersion });
    await settled();
  };
  const refuse = async (key: string) => {
    open.get(key)?.reject(new Error("no room"));
    await settled();
  };
  return { queue, started, open, finish, refuse };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));
const states = (queue: UploadQueue) => queue.list().map((id) => queue.get(id)?.state);

test("only a few go at once, in the order that they were given", async () => {
  const { queue, started, finish } = sender();
  queue.add(["a", "b", "c"].map((key) => ({ key, file: file(10) })));
  expect(started).toEqual(["a", "b"]);
  await finish("a");
  expect(started).toEqual(["a", "b", "c"]);
  expect(states(queue)).toEqual(["done", "sending", "sending"]);
});

test("progress is counted by bytes", () => {
  const { queue, open } = sender();
  queue.add([{ key: "a", file: file(30) }, { key: "b", file: file(70) }]);
  open.get("b")?.onSent(35);
  expect(queue.total()).toMatchObject({ open: 2, progress: 0.35 });
});

test("one that is refused stands in nobody's way, and can be tried again", async () => {
  const { queue, started, refuse, finish } = sender();
  queue.add(["a", "b", "c"].map((key) => ({ key, file: file(1) })));
  await refuse("a");
  expect(states(queue)).toEqual(["refused", "sending", "sending"]);
  const [first = 0] = queue.list();
  expect(queue.get(first)?.problem).toEqual(new Error("no room"));
  await finish("b", true);
  queue.retry(first);
  expect(started).toEqual(["a", "b", "c", "a"]);
  await finish("a");
  await finish("c");
  expect(queue.total()).toMatchObject({ open: 0, done: 3, refused: 0, progress: 1 });
});

test("a cancelled one is stopped and lets the next one go", async () => {
  const { queue, started } = sender();
  queue.add(["a", "b", "c"].map((key) => ({ key, file: file(1) })));
  queue.cancel(queue.list()[0] ?? 0);
  await settled();
  expect(states(queue)).toEqual(["cancelled", "sending", "sending"]);
  expect(started).toEqual(["a", "b", "c"]);
});

test("what is over can be taken off the list, what goes on cannot", async () => {
  const { queue, finish } = sender();
  queue.add(["a", "b"].map((key) => ({ key, file: file(1) })));
  await finish("a");
  queue.dismiss();
  expect(states(queue)).toEqual(["sending"]);
});

test("whoever waits for results hears of each once", async () => {
  const { queue, finish } = sender();
  const heard: string[] = [];
  queue.onDone((upload) => heard.push(`${upload.key} ${upload.isNewVersion}`));
  queue.add([{ key: "a", file: file(1) }]);
  await finish("a", true);
  expect(heard).toEqual(["a true"]);
});
