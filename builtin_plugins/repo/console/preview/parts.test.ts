import { expect, test } from "vitest";

import { textOf } from "./parts";

test("a letter between two parts is whole", () => {
  const bytes = new TextEncoder().encode("añb");
  const [one, other] = [bytes.slice(0, 2).buffer, bytes.slice(2).buffer];
  expect(textOf([one])).toBe("a");
  expect(textOf([one, other])).toBe("añb");
});
