import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";

import { SkeletonRows } from "./Skeleton";

describe("SkeletonRows", () => {
  it("says from the first moment that something is waited for, and shows nothing yet", () => {
    expect(renderToStaticMarkup(createElement(SkeletonRows))).toBe('<div hidden="" data-waiting=""></div>');
  });
});
