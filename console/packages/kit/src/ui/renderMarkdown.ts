/** Markdown to HTML that holds no HTML of its writer: what looks like a tag is shown as it was typed. */

import { Marked, type RendererObject } from "marked";

const LOWEST_HEADING = 6;

const escape = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const renderer: RendererObject = {
  html({ text }) {
    return escape(text);
  },
  // The screen has a first heading already.
  heading({ tokens, depth }) {
    const level = Math.min(LOWEST_HEADING, depth + 1);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
  },
  // A sign, and not a control that looks as if it could be ticked here.
  checkbox({ checked }) {
    return checked ? "☑ " : "☐ ";
  },
};

const marked = new Marked({ gfm: true, breaks: true, async: false, renderer });

/** Null for a text that is nested deeper than anybody writes by hand: it is shown as it was typed. */
export function renderMarkdown(text: string): string | null {
  try {
    return marked.parse(text) as string;
  } catch {
    return null;
  }
}
