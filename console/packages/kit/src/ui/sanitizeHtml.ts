/** What of some HTML may be shown: text and its shape, links that cannot reach back, pictures of this server. */

import createPurifier from "dompurify";

import { isOwnPicture } from "./pictures";

const TAGS = [
  "a", "b", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "li", "ol", "p",
  "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
];
const ATTRIBUTES = ["alt", "href", "src", "start", "title"];
const SCHEMES = new Set(["http:", "https:", "mailto:"]);

// A purifier of our own: hooks of somebody else's do not come in here.
const purifier = createPurifier(window);

purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") makeSafe(node);
  else if (node.tagName === "IMG") keepOwnPicture(node);
});

/** The address, where it is one that may be followed. */
export function addressOf(href: string | null): URL | null {
  if (!href) return null;
  try {
    const address = new URL(href, location.href);
    return SCHEMES.has(address.protocol) ? address : null;
  } catch {
    return null;
  }
}

function makeSafe(link: Element): void {
  const address = addressOf(link.getAttribute("href"));
  if (!address) {
    link.removeAttribute("href");
    return;
  }
  if (address.origin === location.origin) return;
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
}

/** A picture from elsewhere would tell that server who reads this: it becomes a link. */
function keepOwnPicture(picture: Element): void {
  const address = addressOf(picture.getAttribute("src"));
  if (address && isOwnPicture(address)) {
    // Who shows it loads it.
    picture.removeAttribute("src");
    return picture.setAttribute("data-picture", address.pathname);
  }
  if (address?.origin === location.origin && !address.pathname.startsWith("/api/")) return;
  const link = picture.ownerDocument.createElement("a");
  link.textContent = picture.getAttribute("alt") || picture.getAttribute("src") || "";
  if (address) {
    link.setAttribute("href", address.href);
    makeSafe(link);
  }
  picture.replaceWith(link);
}

export function sanitizeHtml(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
