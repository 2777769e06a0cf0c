import { describe, expect, it } from "vitest";

import { pickLocale } from "./language";

const policy = {
  default_locale: "en",
  locales: ["en", "nl", "pt-BR"].map((code) => ({ code, name: code, dir: "ltr" })),
  switching: true,
};

describe("pickLocale", () => {
  it.each([
    [["nl"], "nl"],
    [["nl-BE"], "nl"],
    [["NL-be-x-a"], "nl"],
    [["fr", "nl"], "nl"],
    [["pt-br"], "pt-BR"],
    [["pt"], "en"],
    [[null, undefined, ""], "en"],
    [[], "en"],
  ])("%j gives %s", (wishes, picked) => expect(pickLocale(policy, wishes)).toBe(picked));

  it("is the default where nobody may choose", () =>
    expect(pickLocale({ ...policy, switching: false, default_locale: "is" }, ["nl"])).toBe("is"));
});
