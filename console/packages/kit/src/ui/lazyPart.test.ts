import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { loadPatiently } from "./lazyPart";

const lost = { sheet: null, cloneNode: () => "a copy", replaceWith: vi.fn() };
const there = { sheet: {}, cloneNode: () => "a copy", replaceWith: vi.fn() };
const styles = [lost, there];
const health = vi.fn<() => Promise<{ ok: boolean }>>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", health);
  vi.stubGlobal("document", { querySelectorAll: () => styles });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("waits for a server that is away, and loads the part and its styles then", async () => {
  health.mockRejectedValueOnce(new TypeError("away")).mockRejectedValueOnce(new TypeError("away")).mockResolvedValue({ ok: true });
  const load = vi.fn(() => Promise.resolve("the part")).mockRejectedValueOnce(new Error("Unable to preload CSS"));
  const loaded = loadPatiently(load);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000);
  await expect(loaded).resolves.toBe("the part");
  expect(load).toHaveBeenCalledTimes(2);
  expect(lost.replaceWith).toHaveBeenCalledWith("a copy");
  expect(there.replaceWith).not.toHaveBeenCalled();
});

it("says so when a server that answers no longer has the part", async () => {
  health.mockResolvedValue({ ok: true });
  const load = vi.fn(() => Promise.reject(new Error("Failed to fetch dynamically imported module")));
  await expect(loadPatiently(load)).rejects.toThrow("dynamically imported module");
  expect(load).toHaveBeenCalledTimes(2);
});
