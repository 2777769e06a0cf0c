/** What of a web page is shown: its words, their shape, and pictures that it has in itself. */

import createPurifier from "dompurify";

// A purifier of our own: hooks of somebody else's do not come in here.
const purifier = createPurifier(window);

purifier.addHook("afterSanitizeAttributes", (node) => {
  // In a frame that goes nowhere a link is its words, and a picture from elsewhere what it says in its place.
  if (node.tagName === "A") node.removeAttribute("href");
  if (node.tagName === "TABLE" && !node.hasAttribute("border")) {
    node.setAttribute("border", "1");
    node.setAttribute("cellpadding", "6");
    node.setAttribute("cellspacing", "0");
  }
  if (node.tagName === "IMG" && !/^data:image\/(?:png|jpeg|gif|webp);/i.test(node.getAttribute("src") ?? "")) node.removeAttribute("src");
});

const FORBIDDEN = ["style", "form", "input", "button", "select", "textarea", "option", "iframe", "object", "embed", "svg", "math", "video", "audio", "picture", "source", "link", "meta", "base"];

/** Without styles, which a browser would complain of as soon as it reads them. */
const withoutStyles = (html: string): string =>
  html
    .replace(/<style\b[\s\S]*?(?:<\/style\s*>|$)/gi, "")
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\sstyle\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi, " "));

export function safeHtml(html: string): string {
  return purifier.sanitize(withoutStyles(html), {
    FORBID_TAGS: FORBIDDEN,
    FORBID_ATTR: ["style", "srcset", "background", "ping", "target", "action", "formaction"],
    ALLOW_DATA_ATTR: false,
    USE_PROFILES: { html: true },
  });
}
