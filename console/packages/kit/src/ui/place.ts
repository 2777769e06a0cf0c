/** Where in a document a passage stands: named in its address, and gone to once it is drawn. */

import { useEffect, useMemo, type RefObject } from "react";

import { useFilters } from "./query";

export interface Place {
  heading?: string;
  page?: number;
  sheet?: string;
  line?: number;
}

const PATIENCE_MS = 10_000;

/** The address of a passage, below that of its document. */
export function addressAt(path: string, place: Place, version?: number): string {
  const parts = Object.entries({ version, ...place }).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(parts.map(([name, value]) => [name, String(value)])).toString();
  return search ? `${path}?${search}` : path;
}

/** The place that the address names; null where it names none. */
export function usePlace(): Place | null {
  const [{ heading, page, sheet, line }] = useFilters();
  return useMemo(() => {
    const place: Place = { ...(heading && { heading }), ...(sheet && { sheet }), ...whole("page", page), ...whole("line", line) };
    return Object.keys(place).length > 0 ? place : null;
  }, [heading, page, sheet, line]);
}

const whole = (name: "page" | "line", text: string | undefined) => (/^[1-9]\d{0,8}$/.test(text ?? "") ? { [name]: Number(text) } : {});

/** Goes to a place once what stands there is drawn, and marks it; whoever scrolls meanwhile is left alone. */
export function useGoTo(root: RefObject<HTMLElement | null>, place: Place | null): void {
  useEffect(() => {
    const element = root.current;
    if (!place || !element || goTo(element, place)) return;
    const observer = new MutationObserver(() => goTo(element, place) && stop());
    const timer = setTimeout(() => stop(), PATIENCE_MS);
    const stop = () => {
      observer.disconnect();
      clearTimeout(timer);
      element.removeEventListener("wheel", stop);
    };
    observer.observe(element, { childList: true, subtree: true });
    element.addEventListener("wheel", stop, { passive: true });
    return stop;
  }, [root, place]);
}

/** Whether what a place names is there, and was gone to. */
export function goTo(root: HTMLElement, place: Place): boolean {
  const found = elementAt(root, place);
  if (found) {
    found.setAttribute("data-passage", "");
    found.scrollIntoView({ block: "start" });
    return true;
  }
  return place.line !== undefined && place.heading === undefined && selectLine(root, place.line);
}

function elementAt(root: HTMLElement, { page, heading, line }: Place): Element | null {
  if (page !== undefined) return root.querySelector(`[data-page="${page}"]`);
  if (heading !== undefined) {
    const wanted = plain(heading);
    return [...root.querySelectorAll("h1, h2, h3, h4, h5, h6")].find((one) => plain(one.textContent ?? "") === wanted) ?? null;
  }
  return line === undefined ? null : root.querySelector(`[data-line="${line}"]`);
}

/** A heading without its marks of Markdown. */
export const plain = (text: string): string => text.replace(/^\s*#{1,6}\s+/, "").replace(/[*_`]/g, "").replace(/\s+/g, " ").trim().toLocaleLowerCase();

/** Selects a line of a text that stands as it is, in whatever parts it is drawn. */
function selectLine(root: HTMLElement, line: number): boolean {
  const text = root.querySelector("pre[data-lines]");
  if (!text) return false;
  const range = document.createRange();
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let number = 1;
  let hasBegun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node.nodeValue ?? "";
    for (let from = 0; from < words.length || !hasBegun; ) {
      if (number === line && !hasBegun) {
        range.setStart(node, from);
        hasBegun = true;
      }
      const end = words.indexOf("\n", from);
      if (hasBegun) range.setEnd(node, end < 0 ? words.length : end);
      if (end < 0) break;
      if (hasBegun) return select(range);
      number += 1;
      from = end + 1;
    }
  }
  return hasBegun && select(range);
}

function select(range: Range): boolean {
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
  range.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
  const [own, scroller] = [range.getBoundingClientRect(), scrollerOf(range.startContainer.parentElement)];
  scroller.scrollBy(0, own.top - scroller.getBoundingClientRect().top - scroller.clientHeight / 3);
  return true;
}

function scrollerOf(element: Element | null): Element {
  for (let at = element; at; at = at.parentElement) if (at.scrollHeight > at.clientHeight + 1 && getComputedStyle(at).overflowY !== "visible") return at;
  return document.scrollingElement ?? document.documentElement;
}
