import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { Connection } from "./connection";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("asks ever more calmly until the server is back, and says so once each", async () => {
  const answers = [false, false, false, true];
  const ask = vi.fn(() => Promise.resolve(answers.shift() ?? true));
  const connection = new Connection(ask);
  const said: boolean[] = [];
  connection.subscribe(() => said.push(connection.isAway));
  connection.lost();
  connection.lost();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000 + 4_000);
  expect(ask).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(7_999);
  expect(ask).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(said).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(4);
});

it("asks at once when told to", async () => {
  const ask = vi.fn(() => Promise.resolve(true));
  const connection = new Connection(ask);
  connection.askNow();
  expect(ask).not.toHaveBeenCalled();
  connection.lost();
  connection.askNow();
  await vi.advanceTimersByTimeAsync(0);
  expect(connection.isAway).toBe(false);
});

it("lets those who wait go on when the server is back, or when they give up", async () => {
  const connection = new Connection(() => Promise.resolve(true));
  await connection.back(new AbortController().signal);
  connection.lost();
  const done: string[] = [];
  const stop = new AbortController();
  void connection.back(stop.signal).then(() => done.push("gave up"));
  void connection.back(new AbortController().signal).then(() => done.push("back"));
  stop.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(done).toEqual(["gave up"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(done).toEqual(["gave up", "back"]);
});
