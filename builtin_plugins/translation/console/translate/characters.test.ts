import { expect, it } from "vitest";

import { countCharacters } from "./characters";

it.each([
  ["", 0],
  ["abc", 3],
  ["a😀b", 3],
  ["\ud83d", 1],
  ["😀😀", 2],
])("%j has %i", (text, count) => expect(countCharacters(text)).toBe(count));
