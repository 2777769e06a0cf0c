import { expect, it } from "vitest";

import { typesIn } from "./trigger";

it("reads media types however they are separated", () => {
  expect(typesIn("text/*, application/pdf\n image/png;")).toEqual(["text/*", "application/pdf", "image/png"]);
  expect(typesIn("  ")).toEqual([]);
});
