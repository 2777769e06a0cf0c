import { expect, test } from "vitest";

import { pathOf, together } from "./recentFiles";

const ada = { id: "usr_a", name: "Ada" };
const bob = { id: "usr_b", name: "Bob" };
const file = (number: number, key: string, at: string, owner = ada) => ({ id: `obj_${number}`, key, filename: key.split("/").at(-1)!, owner, updated_at: at });

test("what one person uploaded together is one line, and leads to the folder of all of it", () => {
  const files = [
    file(1, "in/a/one.md", "2026-01-05T10:00:00Z"),
    file(2, "in/b/two.md", "2026-01-05T10:00:30Z"),
    file(3, "in/b/three.md", "2026-01-05T10:01:00Z"),
    file(4, "in/b/other.md", "2026-01-05T10:00:40Z", bob),
    file(5, "in/b/later.md", "2026-01-05T11:00:00Z"),
  ];
  const work = together(files);
  expect(work.sort((one, other) => other.at.localeCompare(one.at)).map(({ id, count }) => [id, count])).toEqual([
    ["obj_5", undefined],
    ["obj_3", 3],
    ["obj_4", undefined],
  ]);
  expect(pathOf(work.find(({ count }) => count)!)).toBe("/files?prefix=in%2F");
});
