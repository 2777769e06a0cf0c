import { expect, test } from "vitest";

import english from "../../../../../builtin_plugins/console/texts/en.json";
import { makeTexts } from "../i18n/texts";
import { faultWords, placeWords, reasonWords } from "./faultWords";

const { t } = makeTexts({ locale: "en", chain: ["en"], messages: english });

test.each([
  ["must have at least 10 characters", "Password must have at least 10 characters"],
  ["must have at most 1 character, not 12", "Password must have at most 1 character"],
  ["must be a whole number or null", "Password must be a whole number"],
  ["must be text in quotes", "Password must be text"],
  ["must be text, not an object", "Password must be text"],
  ["is required", "Fill in “Password”"],
  ["must not be empty", "Fill in “Password”"],
  ["must be at least 0.5", "Password must be at least 0.5"],
  ['must be one of "view", "edit"', "Password must be one of view, edit"],
  ["is taken", "Password: is taken"],
  ["The current password is wrong.", "The current password is wrong."],
])("%s is said as people say it", (message, words) => {
  expect(faultWords(t, "Password", message)).toBe(words);
});

test("a place without a field is named without a pointer's signs", () => {
  expect(placeWords("/owner/display_name")).toBe("Owner display name");
  expect(placeWords("/steps/0/with~1it")).toBe("Steps 1 with/it");
  expect(placeWords("")).toBe("");
});

test("why something failed is said without pointers", () => {
  expect(reasonWords(t, "/text: is required; /id: unknown field; remove it")).toBe("Fill in “Text”; Id: unknown field; remove it");
  expect(reasonWords(t, "The document /a: b has no text.")).toBe("The document /a: b has no text.");
  expect(reasonWords(t, "/srv/model did not start; ask an operator")).toBe("/srv/model did not start; ask an operator");
});
