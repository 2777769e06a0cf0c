import { expect, it } from "vitest";

import { documentsMadeBy } from "./documents";
import type { Run } from "./run";

const runWith = (...outputs: unknown[]) => ({ steps: outputs.map((output) => ({ output })) }) as unknown as Run;

it("finds the documents among the outputs, each once, wherever they stand", () => {
  const form = { kind: "document", object_id: "obj_1", title: "Form" };
  const run = runWith({ result: form }, { results: [{ result: form }, { result: { kind: "document", object_id: "obj_2" } }] }, null);
  expect(documentsMadeBy(run)).toEqual([
    { id: "obj_1", name: "Form" },
    { id: "obj_2", name: "obj_2" },
  ]);
});

it("does not look at everything there is in a very long output", () => {
  expect(documentsMadeBy(runWith({ results: Array.from({ length: 100_000 }, (_, n) => ({ result: n })) }))).toEqual([]);
});
