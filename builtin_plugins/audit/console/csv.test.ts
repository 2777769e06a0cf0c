import { expect, it } from "vitest";

import { csvTable } from "./csv";

it("quotes what would end a cell", () => {
  expect(csvTable(["a", "b"], [['x "y"', "1,2"], ["line\nbreak", null]])).toBe('a,b\r\n"x ""y""","1,2"\r\n"line\nbreak",\r\n');
});

it("lets nobody's name be a formula", () => {
  expect(csvTable(["name"], [["=HYPERLINK(1)"], ["+1"], ["-x"], ["@y"], [-4]])).toBe("name\r\n'=HYPERLINK(1)\r\n'+1\r\n'-x\r\n'@y\r\n-4\r\n");
});
