import { expect, it } from "vitest";

import { callOf, pathOf } from "./frameCalls";

const ROWS = [
  { method: "GET", path: "/api/x/tools/words" },
  { method: "POST", path: "/api/x/tools/words/:id/count" },
  { method: "GET", path: "/api/x/tools/files/*path" },
  { method: "POST", path: "/api/x/tools/*rest" },
  { method: "GET", path: "/api/tools-of-ours/:id" },
];
const path = (method: string, given: string) => pathOf("tools", ROWS, method, given);

it.each([
  ["GET", "/words", "/api/x/tools/words"],
  ["GET", "/words?q=a%20b&q=?", "/api/x/tools/words?q=a%20b&q=?"],
  ["GET", "/api/x/tools/words", "/api/x/tools/words"],
  ["POST", "/words/7/count", "/api/x/tools/words/7/count"],
  ["GET", "/files/a/b.txt", "/api/x/tools/files/a/b.txt"],
  ["GET", "/api/tools-of-ours/9", "/api/tools-of-ours/9"],
])("%s %s is the plugin's own", (method, given, whole) => expect(path(method, given)).toBe(whole));

it.each([
  ["PUT", "/words"],
  ["get", "/words"],
  ["GET", "words"],
  ["GET", ""],
  ["GET", "/api/whoami"],
  ["GET", "/api/x/other/words"],
  ["GET", "/../other/words"],
  ["GET", "/files/../../other/words"],
  ["GET", "/files/%2e%2e/x"],
  ["GET", "/files/a%2f..%2fb"],
  ["GET", "/files//x"],
  ["GET", "/files/"],
  ["GET", "/files/a\\b"],
  ["GET", "/files/%00"],
  ["GET", "/files/%ff"],
  ["GET", "//evil.example/words"],
  ["GET", "https://evil.example/api/x/tools/words"],
  ["GET", "/words#x"],
  ["GET", "/words\n"],
  ["GET", "/words?é"],
  ["GET", `/words?${"a".repeat(3000)}`],
  ["GET", "/api/tools-of-ours/9/more"],
  ["POST", "/ticket"],
  ["GET", "/bundle/index.html"],
])("%s %s is not", (method, given) => expect(path(method, given)).toBeNull());

it("takes a message of the right shape and nothing else", () => {
  expect(callOf({ type: "call", id: 1, method: "GET", path: "/words", more: 1 })).toEqual({
    type: "call", id: 1, method: "GET", path: "/words", body: undefined,
  });
  for (const other of [null, "call", 1, [], {}, { type: "call" }, { type: "call", id: "1", method: "GET", path: "/" }]) {
    expect(callOf(other)).toBeNull();
  }
});
