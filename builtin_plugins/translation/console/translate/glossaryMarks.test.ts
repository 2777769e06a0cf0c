import { describe, expect, it } from "vitest";

import { markUses } from "./glossaryMarks";

const order = { term: "order", translation: "pedido" };
const purchase = { term: "purchase order", translation: "orden de compra" };
const marked = (text: string, uses = [order, purchase], side: "term" | "translation" = "term") =>
  markUses(text, uses, side)
    .map((piece) => (piece.use ? `[${piece.text}=${piece.use.term}]` : piece.text))
    .join("");

describe("markUses", () => {
  it.each([
    ["The Purchase Order is late.", "The [Purchase Order=purchase order] is late."],
    ["An order; the border.", "An [order=order]; the border."],
    ["purchase\n order", "[purchase\n order=purchase order]"],
    ["orders", "orders"],
    ["", ""],
  ])("%j is %j", (text, expected) => expect(marked(text)).toBe(expected));

  it("lets the word of a translation have an ending", () =>
    expect(marked("Los pedidos llegan.", [order], "translation")).toBe("Los [pedidos=order] llegan."));

  it("finds words of scripts without spaces anywhere", () =>
    expect(marked("東京都", [{ term: "東京", translation: "Tokyo" }])).toBe("[東京=東京]都"));

  it("takes a term for a word, whatever signs are in it", () => {
    const odd = { term: "C++ (a|b)", translation: "x" };
    expect(marked("I like C++ (a|b).", [odd])).toBe("I like [C++ (a|b)=C++ (a|b)].");
    const signs = { term: "e-mail !\"#$%&'*,./:;<=>?@[\\]^_`{|}~", translation: "correo-e" };
    expect(marked(`An ${signs.term}.`, [signs])).toBe(`An [${signs.term}=${signs.term}].`);
    expect(marked("Un correo-e.", [signs], "translation")).toBe(`Un [correo-e=${signs.term}].`);
  });

  it("gives the text back whole, and quickly", () => {
    const text = "order ".repeat(20_000);
    const began = performance.now();
    expect(markUses(text, [order, purchase], "term").map((piece) => piece.text).join("")).toBe(text);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
