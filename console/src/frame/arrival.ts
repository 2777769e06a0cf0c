/** Arriving at an address: the focus goes to its heading, and back and forward find the place where one was. */

import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useSearch } from "wouter";

import { sessions } from "@guildhall/console/session/store";
import { beginArriving } from "./focusKeeping";
import { ScrollMemory } from "./scrollMemory";

const areaOf = (path: string) => path.split("/")[1] ?? "";
const LONGEST_WAIT_MS = 3_000;

const memory = new ScrollMemory();

/** Begins before the first screen is drawn, so that no way back is missed. */
export function useArrival(): void {
  const [path] = useLocation();
  const search = useSearch();
  const before = useRef<string | null>(null);
  useEffect(() => memory.begin(), []);
  useLayoutEffect(() => {
    const from = before.current;
    before.current = path;
    if (from === path) {
      memory.stay();
      return;
    }
    const known = memory.arrive();
    if (known !== null) memory.restore(known);
    else if (from !== null) scrollUp(areaOf(from) !== areaOf(path));
    // Beside a list that nobody moves, no scrolling tells where one is.
    if (known === null) memory.record();
    // A page that was just loaded is entered from its top; whoever signed in here or changed teams goes on.
    return from === null && sessions.generation === 0 ? undefined : focusHeading(from === null || areaOf(from) !== areaOf(path));
  }, [path, search]);
}

/** To the top of a new place; beside a list that still stands there, nothing moves. */
function scrollUp(isElsewhere: boolean): void {
  const list = document.querySelector<HTMLElement>("[data-rows]");
  if (isElsewhere || !list?.checkVisibility()) window.scrollTo(0, 0);
}

/** Moves the focus to the heading once it is there, unless a field of the screen has taken it. */
function focusHeading(isElsewhere: boolean): () => void {
  const left = document.activeElement;
  const content = document.getElementById("content");
  const tried = () => {
    const now = document.activeElement;
    if (now !== document.body && now !== left) return true;
    if (document.querySelector("[role=dialog]")) return false;
    // The screen before is still there, unseen, until the next one was loaded.
    const heading = [...(content?.querySelectorAll("h1") ?? [])].find((each) => each.checkVisibility());
    // Beside a list that one walks through the focus stays in the list.
    if (!isElsewhere && now !== document.body && now !== content && content?.contains(now)) return true;
    if (!heading) return false;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    return true;
  };
  const observer = new MutationObserver(() => tried() && stop());
  const timer = setTimeout(() => stop(), LONGEST_WAIT_MS);
  const arrived = beginArriving();
  const stop = () => (observer.disconnect(), clearTimeout(timer), arrived());
  // After the fields of the screen had their turn.
  const frame = requestAnimationFrame(() => {
    if (tried()) stop();
    else observer.observe(document.body, { childList: true, subtree: true });
  });
  return () => (cancelAnimationFrame(frame), stop());
}
