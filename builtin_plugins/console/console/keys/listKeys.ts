/** The keys of lists, from wherever one is on a screen: j and k, Enter, x, e, c and /. */

import { isTyping } from "@guildhall/console/ui/shortcuts";

/** Whose letters are their own: what is open, and what one chooses from by typing. */
const BUSY = "[role=menu], [role=listbox]:not([data-rows]), [aria-haspopup=listbox], [role=application], .react-flow, iframe";
const CONTROLS = "a, button, input, select, summary, [role=tab], [role=switch], [role=row], [data-rows]";

const seen = (selector: string, within: ParentNode = document.getElementById("content")!): HTMLElement[] =>
  [...within.querySelectorAll<HTMLElement>(selector)].filter((each) => each.checkVisibility() && !each.matches(":disabled"));

/** The first list that has these keys when it is focused: the kit's, or a grid. */
const list = (): HTMLElement | undefined => seen("[data-rows], [role=grid]")[0];

function enter(rows: HTMLElement): HTMLElement | undefined {
  const stop = rows.tabIndex >= 0 ? rows : seen("[role=rowgroup] [tabindex='0'], [role=row] a", rows)[0];
  stop?.focus();
  return stop;
}

/** Moves to the next line, or into the list where one is in none. */
function move(step: 1 | -1): boolean {
  // Lines of tables and of short lists: each is focused by itself.
  const all = seen("[data-line]");
  const at = all.findIndex((line) => line.contains(document.activeElement));
  const rows = at < 0 && list();
  if (rows) return enter(rows) !== undefined;
  const next = all[at < 0 ? 0 : at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next !== undefined;
}

/** The row where one is: a line, or what the list that has the focus says. */
function row(): HTMLElement | null {
  const at = document.activeElement;
  return at && (at.closest<HTMLElement>("[data-line], [role=row]") ?? document.getElementById(at.getAttribute("aria-activedescendant") ?? ""));
}

const press = (what: HTMLElement | undefined): boolean => (what?.click(), what !== undefined);
const open = (line: HTMLElement): boolean => press(line.matches("a") ? line : (seen("a[href]", line)[0] ?? seen("button", line)[0]));

/** Edits the row, or else what the screen is about; a row without a way of its own to edit it is opened. */
function edit(): boolean {
  const here = row();
  const [own] = here ? seen("[aria-keyshortcuts~=e]", here) : seen("[aria-keyshortcuts~=e]").filter((each) => !each.closest("[data-line], [role=row]"));
  if (own ?? !here) return press(own);
  return here!.matches("[data-line]") ? open(here!) : press(here!);
}

/** Enter and x on a list that one has only arrived at. */
function pressIn(key: string): boolean {
  const line = row()?.closest<HTMLElement>("[data-line]");
  if (line) return key === "Enter" ? open(line) : press(seen("input[type=checkbox]", line)[0]);
  const rows = list();
  return rows?.tabIndex === 0 && enter(rows)!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })) === false;
}

export interface ListKeys {
  /** Begins something new, where the screen has no button for that. */
  onCreate: () => void;
  /** What a field is called in which one looks for something. */
  searchWords: string;
}

/** Takes a key that is meant for a list; what took it itself keeps it. */
export function onListKey(event: KeyboardEvent, keys: ListKeys): void {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
  const origin = event.target as Element;
  if (origin.closest(BUSY) || document.querySelector("[role=dialog], [role=alertdialog]")) return;
  if (take(event.key, origin, keys)) event.preventDefault();
}

/** The palette, as its own key opens it. */
export function openPalette(): void {
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, cancelable: true }));
}

function take(key: string, origin: Element, { onCreate, searchWords }: ListKeys): boolean {
  // A control that has the focus is pressed by Enter, and by no list.
  const isFree = origin.matches("[data-line]:not(a)") || !origin.closest(CONTROLS);
  if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
  if (key === "e") return edit();
  if (key === "c") return press(seen("[data-begin] [data-kind=primary]")[0]) || (onCreate(), true);
  if (key === "/") {
    const field = seen("input").find((each) => each.matches("[type=search]") || [...((each as HTMLInputElement).labels ?? [])].some(({ textContent }) => textContent === searchWords));
    return field ? (field.focus(), true) : (openPalette(), true);
  }
  return (key === "Enter" || key === "x") && isFree && pressIn(key);
}
