import { expect, test } from "vitest";

import { kindOf } from "./kinds";

test("what is shown how, by its type", () => {
  expect(kindOf("text/markdown; charset=utf-8", "a")).toBe("markdown");
  expect(kindOf("text/csv", "a")).toBe("table");
  expect(kindOf("text/html", "a")).toBe("html");
  expect(kindOf("application/pdf", "a")).toBe("pdf");
  expect(kindOf("image/svg+xml", "a.svg")).toBe("code");
  expect(kindOf("audio/ogg", "a")).toBe("audio");
  expect(kindOf("application/vnd.openxmlformats-officedocument.presentationml.presentation", "a")).toBe("slides");
  expect(kindOf("application/zip", "a.zip")).toBe("none");
});

test("its name tells where the type says nothing, and nothing else", () => {
  expect(kindOf("application/octet-stream", "a.docx")).toBe("word");
  expect(kindOf("application/octet-stream", "a.unknown")).toBe("none");
  expect(kindOf("text/plain", "a.py")).toBe("code");
  expect(kindOf("text/x-python", "a.py")).toBe("code");
  expect(kindOf("text/plain", "a.csv")).toBe("table");
  expect(kindOf("text/plain", "a.html")).toBe("text");
  expect(kindOf("text/plain", "a.pdf")).toBe("text");
});
