import { expect, it } from "vitest";

import { shownValue } from "./shownValue";

it.each([
  ["plain\ntext", "plain\ntext"],
  [{ a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
  ["evil\u202egnp.exe", "evil\\u202egnp.exe"],
  ["a\u200bb\u0000", "a\\u200bb\\u0000"],
  [undefined, ""],
])("%j is shown as %j", (value, text) => expect(shownValue(value)).toBe(text));
