import { expect, it } from "vitest";

import { makeTexts } from "@guildhall/console/i18n/texts";
import { cronWords } from "./cronWords";

const catalogs = import.meta.glob<Record<string, string>>("../texts/*.json", { eager: true, import: "default" });
const catalogOf = (locale: string) => makeTexts({ locale, chain: [], messages: catalogs[`../texts/${locale}.json`] ?? {} });
const say = (expression: string, locale = "en-GB", language = "en") => cronWords(expression, catalogOf(language).t, locale);

it.each([
  ["0 8 * * MON-FRI", "Monday to Friday, at 08:00"],
  ["0 8,17 * * 1-5", "Monday to Friday, at 08:00 and 17:00"],
  ["30 3 * * *", "Every day, at 03:30"],
  ["0 9 * * 7", "On Sunday, at 09:00"],
  ["0 9 * * sun,wed", "On Wednesday and Sunday, at 09:00"],
  ["0 6 1,15 * *", "On days 1 and 15 of the month, at 06:00"],
  ["0 6 L * *", "On the last day of the month, at 06:00"],
  ["0 6 1 JAN,7 *", "On day 1 of the month, at 06:00, in January and July"],
  ["0 6 13 * FRI", "On day 13 of the month or on Friday, at 06:00"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["* * * * *", "Every minute"],
  ["0 * * * *", "Every hour"],
  ["5 */2 * * *", "Every 2 hours, at minute 5"],
  ["*/10 9-17 * * MON-FRI", "Monday to Friday, every 10 minutes, from 09:00 to 17:59"],
])("says %s as people do", (expression, words) => {
  expect(say(expression)).toBe(words);
});

it.each(["", "0 8 * *", "61 * * * *", "0 8 * * FRI#2", "0 8 */2 * MON", "*/7 */5 * * *", "x y * * *", "0-59 0-23 * * *"])(
  "says nothing of %s, rather than half of it",
  (expression) => {
    expect(say(expression)).toBeNull();
  },
);

it("speaks the languages of the console", () => {
  expect(say("0 8 * * MON-FRI", "nl", "nl")).toBe("Maandag tot en met vrijdag, om 08:00");
  expect(say("0 9 * * MON", "es", "es")).toBe("Los días lunes, a las 9:00");
  expect(say("*/15 * * * *", "is", "is")).toBe("Á 15 mínútna fresti");
});
