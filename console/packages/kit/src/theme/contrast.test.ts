import { expect, it } from "vitest";

import { contrast, verdictsOf } from "./contrast";

// The same figures as the server's own formula gives.
it.each([
  ["#000000", "#ffffff", 21],
  ["#777777", "#ffffff", 4.478089453577214],
  ["#767676", "#ffffff", 4.542224959605253],
  ["#59636e", "#f6f7f9", 5.703843663100038],
  ["#8ab4f8", "#12161c", 8.610591914736416],
])("%s on %s", (one, other, ratio) => {
  expect(contrast(one, other)).toBeCloseTo(ratio, 10);
  expect(contrast(other, one)).toBeCloseTo(ratio, 10);
});

it("never rounds up to the floor", () => {
  const [verdict] = verdictsOf({ text: "#777777", bg: "#ffffff" }, "light");
  expect(verdict).toMatchObject({ ratio: 4.47, floor: 4.5, isGood: false });
});

it("judges each mode by its own tokens, and nothing that is no colour", () => {
  const palette = { text: "#000000", bg: "#ffffff", "dark-text": "#111111", "dark-bg": "#000000", surface: "#fff" };
  expect(verdictsOf(palette, "light")).toHaveLength(1);
  expect(verdictsOf(palette, "dark")[0]).toMatchObject({ isGood: false });
});
