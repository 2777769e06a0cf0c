import { describe, expect, it } from "vitest";

import { fieldsOf, firstEntries, inputPointer, readEntries } from "./inputs";

const fields = fieldsOf({
  object_id: { type: "string" },
  message: { type: "string" },
  note: { type: "string", required: false },
  count: { type: "integer", required: false, default: 3 },
  share: { type: "number" },
  quick: { type: "boolean" },
  locales: { type: "array" },
  schema: { type: "object" },
});

describe("fieldsOf", () => {
  it("knows which inputs are documents, required, or have a default", () => {
    expect(fields.filter(({ isDocument }) => isDocument).map(({ name }) => name)).toEqual(["object_id"]);
    expect(fields.filter(({ isRequired }) => !isRequired).map(({ name }) => name)).toEqual(["note", "count"]);
    expect(fields.find(({ name }) => name === "count")?.hasDefault).toBe(true);
  });
});

describe("firstEntries", () => {
  it("begins with what a run before was given, else with the default", () => {
    const entries = firstEntries(fields, { locales: ["nl", "en"], quick: true, message: "hello" });
    expect(entries).toMatchObject({ locales: "nl\nen", quick: "true", message: "hello", count: "3", note: "" });
  });
});

describe("readEntries", () => {
  it("makes values of what was typed, and leaves out what is optional and empty", () => {
    const entries = { object_id: "obj_1", message: "", note: "", count: "7", share: "0,5", quick: "false", locales: "[]", schema: "{}" };
    expect(readEntries(fields, entries)).toEqual({
      input: { object_id: "obj_1", message: "", count: 7, share: 0.5, quick: false, locales: [], schema: {} },
      faults: {},
    });
  });

  it("takes a list as lines, and one that lines could not say as JSON", () => {
    const [list] = fieldsOf({ words: { type: "array" } });
    const read = (entry: string) => readEntries([list!], { words: entry }).input.words;
    expect(read(" nl \n\nes\n")).toEqual(["nl", "es"]);
    expect(read("[1, [2]]")).toEqual([1, [2]]);
    for (const words of [["a", " b"], ["[x"], ["a\nb"], [1], [], ["nl"]]) {
      expect(read(firstEntries([list!], { words }).words!)).toEqual(words);
    }
  });

  it("says what is wrong with which field", () => {
    const entries = { object_id: "", count: "1.5", share: "much", quick: "x", locales: "{}", schema: "{" };
    expect(readEntries(fields, entries).faults).toEqual({
      object_id: "required",
      count: "integer",
      share: "number",
      locales: "array",
      schema: "json",
    });
  });
});

it("names an input by its pointer", () => expect(inputPointer("a/b~c")).toBe("/input/a~1b~0c"));
