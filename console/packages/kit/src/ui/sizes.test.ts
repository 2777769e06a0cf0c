import { expect, test } from "vitest";

import { formatSize, isText, plainName, typeName } from "./sizes";

test("sizes have few figures", () => {
  expect(formatSize(0, "en")).toBe("0 B");
  expect(formatSize(999, "en")).toBe("999 B");
  expect(formatSize(1_000, "en")).toBe("1 kB");
  expect(formatSize(1_250_000, "en")).toBe("1.3 MB");
  expect(formatSize(999_999, "en")).toBe("1 MB");
  expect(formatSize(5 * 1024 ** 3, "en")).toBe("5.4 GB");
  expect(formatSize(1_250_000, "nl")).toBe("1,3 MB");
});

test("a type is named by its extension, else by what the server says", () => {
  expect(typeName("application/pdf", "q1.pdf")).toBe("PDF");
  expect(typeName("text/markdown", "notes")).toBe("markdown");
  expect(typeName("image/png; x=1", "a.verylongone")).toBe("png");
});

test("what has lines", () => {
  expect(isText("application/json")).toBe(true);
  expect(isText("application/zip")).toBe(false);
});

test("a name cannot hide how it ends", () => {
  expect(plainName("\u202egnp.exe")).toBe("\ufffdgnp.exe");
  expect(plainName("تقرير.pdf")).toBe("تقرير.pdf");
});
