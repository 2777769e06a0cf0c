import { expect, test } from "vitest";

import { addressOfRow, rowOfAddress } from "./rowAddress";

test("a row that was named is found again", () => {
  const address = addressOfRow("https://hall.test/files?prefix=a#row=3", 1125);
  expect(address).toBe("https://hall.test/files?prefix=a#row=1125");
  expect(rowOfAddress(new URL(address).hash)).toBe(1125);
});

test("the first row is not named", () => {
  expect(addressOfRow("https://hall.test/files#row=3", 0)).toBe("https://hall.test/files");
});

test("a fragment of another kind is left alone, and names no row", () => {
  expect(addressOfRow("https://hall.test/files#notes", 9)).toBe("https://hall.test/files#notes");
  for (const hash of ["", "#notes", "#row=", "#row=-1", "#row=1e3", "#row=99999999"]) expect(rowOfAddress(hash)).toBe(0);
});
