import { describe, expect, it } from "vitest";

import { jsonFault, lineOf } from "./pointers";

const text = `{
  "slug": "a",
  "st}eps": "no",
  "steps": [
    {"name": "x, ]", "with": {}},
    {
      "name": "y",
      "a/b~c": {"retries": 2}
    }
  ]
}`;

describe("lineOf", () => {
  it.each([
    ["", 1],
    ["/slug", 2],
    ["/steps", 4],
    ["/steps/0/with", 5],
    ["/steps/1", 6],
    ["/steps/1/name", 7],
    ["/steps/1/a~1b~0c/retries", 8],
    ["/steps/1/missing", 6],
    ["/steps/7", 4],
    ["/inputs/x", 1],
    ["/slug/deeper", 2],
  ])("%s stands in line %d", (pointer, line) => expect(lineOf(text, pointer)).toBe(line));

  it("bears a text that is no JSON", () => {
    expect(lineOf('{"a": [1, 2', "/a/5/b")).toBe(1);
    expect(lineOf("", "/a")).toBe(1);
    expect(lineOf('{"a" 1}', "/a")).toBe(1);
  });
});

describe("jsonFault", () => {
  it("names the line", () => {
    expect(jsonFault(text)).toBeNull();
    expect(jsonFault('{\n  "a": 1,\n  b\n}')?.line).toBe(3);
    expect(jsonFault('{\n  "a": 1\n')?.line).toBeGreaterThan(1);
  });
});
