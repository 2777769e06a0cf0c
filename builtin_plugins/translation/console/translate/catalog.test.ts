import { expect, it } from "vitest";

import { filenameFor, messagesOf, readCatalog, withMessages } from "./catalog";

it("reads texts in groups, and puts their translations back where they stood", () => {
  const catalog = { hello: "Hello {name}", menu: { open: "Open", depth: 2, more: [1, "x"] } };
  expect(messagesOf(catalog)).toEqual({ hello: "Hello {name}", "menu.open": "Open" });
  const translated = withMessages(catalog, { hello: "Hallo {name}", "menu.open": "Openen" });
  expect(translated).toEqual({ hello: "Hallo {name}", menu: { open: "Openen", depth: 2, more: [1, "x"] } });
});

it("takes nothing for a catalog that has no texts, or two by one key", () => {
  const two = { "menu.open": "Open", menu: { open: "Open" } };
  expect([[], "text", {}, { a: 1 }, two, readCatalog("{")].map(messagesOf)).toEqual(Array(6).fill(null));
});

it("keeps what only looks like a part of an object's own making", () => {
  expect(Object.keys(messagesOf(readCatalog('{"__proto__": "x", "a": "y"}')) ?? {})).toEqual(["__proto__", "a"]);
});

it("names the file for its language", () => {
  expect(["messages.en.json", "en.json", "en-GB.json", "guild-hall.json", "Texts.JSON"].map((name) => filenameFor(name, "nl"))).toEqual([
    "messages.nl.json",
    "nl.json",
    "nl.json",
    "guild-hall.nl.json",
    "Texts.nl.json",
  ]);
});
