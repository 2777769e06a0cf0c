import { expect, test } from "vitest";

import type { StoredObject } from "../objects";
import type { Entry } from "../tree";
import { fitsInto, keyIn, nameFault, nameOf, placeOf, stemLength } from "./places";

const file = (key: string): Entry => ({ kind: "object", id: key, object: { key } as StoredObject });
const folder = (prefix: string): Entry => ({ kind: "folder", id: prefix, prefix, name: "" });

test("where entries lie and what they are called there", () => {
  expect([nameOf(file("a/b.txt")), placeOf(file("a/b.txt"))]).toEqual(["b.txt", "a/"]);
  expect([nameOf(folder("a/b/")), placeOf(folder("a/b/"))]).toEqual(["b", "a/"]);
  expect([nameOf(folder("a/")), placeOf(folder("a/"))]).toEqual(["a", ""]);
});

test("where they go", () => {
  expect(keyIn(file("a/b.txt"), "c/d/")).toBe("c/d/b.txt");
  expect(keyIn(folder("a/b/"), "")).toBe("b/");
  expect(keyIn(folder("a/b/"), "a/", "c")).toBe("a/c/");
});

test("nothing goes where it is, and no folder into itself", () => {
  expect(fitsInto(file("a/b.txt"), "a/")).toBe(false);
  expect(fitsInto(file("a/b.txt"), "")).toBe(true);
  expect(fitsInto(folder("a/"), "a/b/")).toBe(false);
  expect(fitsInto(folder("a/"), "ab/")).toBe(true);
});

test("names that none may have, and where their endings begin", () => {
  expect([nameFault("a/b"), nameFault(".."), nameFault("...")]).toEqual(["files.name_slash", "files.name_dots", null]);
  expect([stemLength("plan.tar.gz"), stemLength(".env"), stemLength("plan")]).toEqual([8, 4, 4]);
});
