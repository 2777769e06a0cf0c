import { expect, test } from "vitest";

import type { StoredObject } from "./objects";
import { crumbsOf, entriesOf, folderOf, insertObject, type Page } from "./tree";

const object = (key: string, id = key) => ({ id, key }) as StoredObject;
const page = (keys: string[], folders: string[] = [], next_cursor: string | null = null): Page => ({
  items: keys.map((key) => object(key)),
  folders,
  next_cursor,
});
const keysOf = (pages: Page[]) => pages.map(({ folders, items }) => [...folders, ...items.map(({ key }) => key)]);

test("the way to a folder", () => {
  expect(crumbsOf("")).toEqual([]);
  expect(crumbsOf("a/b c/")).toEqual([
    { name: "a", prefix: "a/" },
    { name: "b c", prefix: "a/b c/" },
  ]);
  expect(crumbsOf("/x//")).toEqual([
    { name: "", prefix: "/" },
    { name: "x", prefix: "/x/" },
    { name: "", prefix: "/x//" },
  ]);
  expect(folderOf("a/b/c.txt")).toBe("a/b/");
  expect(folderOf("c.txt")).toBe("");
});

test("folders stand before what lies beside them", () => {
  const entries = entriesOf([page(["r/a", "r/z"], ["r/b/"])], "r/");
  expect(entries.map((entry) => (entry.kind === "folder" ? entry.name : entry.object.key))).toEqual(["b", "r/a", "r/z"]);
});

test("what was uploaded is put in its place", () => {
  expect(keysOf(insertObject([page(["a", "c"])], object("b"), "", true))).toEqual([["a", "b", "c"]]);
  expect(keysOf(insertObject([page(["a"])], object("r/x"), "", true))).toEqual([["r/", "a"]]);
  expect(keysOf(insertObject([page(["a"], ["r/"])], object("r/y"), "", true))).toEqual([["r/", "a"]]);
  expect(keysOf(insertObject([page(["r/a"])], object("b"), "r/", true))).toEqual([["r/a"]]);
});

test("what belongs to a page that is not loaded yet waits for it", () => {
  const loaded = [page(["a", "c"], [], "more")];
  expect(keysOf(insertObject(loaded, object("z"), "", true))).toEqual([["a", "c"]]);
  expect(keysOf(insertObject(loaded, object("b"), "", true))).toEqual([["a", "b", "c"]]);
});

test("a new version takes the place of the one before", () => {
  const pages = insertObject([page(["a", "b"])], { ...object("b"), version: 2 }, "", false);
  expect(pages[0]?.items[1]?.version).toBe(2);
});
