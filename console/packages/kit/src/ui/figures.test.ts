import { expect, it } from "vitest";

import { amountWords, sizeWords } from "./figures";

it.each([
  [0, "0 byte"],
  [1023, "1,023 byte"],
  [1536, "1.5 kB"],
  [107_374_182_400, "100 GB"],
])("%d is %s", (bytes, words) => expect(sizeWords(bytes, "en")).toBe(words));

it("writes bytes as a size and other figures as numbers", () => {
  expect(amountWords("storage.bytes", 2048, "en")).toBe("2 kB");
  expect(amountWords("ai.requests", 5000, "en")).toBe("5,000");
});
