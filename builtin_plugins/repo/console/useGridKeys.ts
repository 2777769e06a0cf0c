import { useRef, type KeyboardEvent } from "react";

import type { Commands } from "./commands";
import { cut } from "./moves/cut";
import { titleOf } from "./moves/places";
import type { Selection } from "./selection";
import type { Entry } from "./tree";
import { findTyped, TypedName } from "./typedName";

interface GridKeys {
  entries: readonly Entry[];
  columns: number;
  active: number;
  selection: Selection;
  commands: Commands;
  onMove: (to: number) => void;
}

const PAGE = 10;

/** What a command is for: all that is selected where the active one is among it, else that one. */
export function entriesFor(entry: Entry, selection: Selection): readonly Entry[] {
  return selection.has(entry.id) ? [...selection.current.values()] : [entry];
}

/** The keys of a file manager, for a list of rows (one column) or of tiles. */
export function useGridKeys({ entries, columns, active, selection, commands, onMove }: GridKeys) {
  const typed = useRef(new TypedName()).current;

  function stepOf(event: KeyboardEvent): number | null {
    const isRightToLeft = getComputedStyle(event.currentTarget).direction === "rtl";
    const steps: Record<string, number> = {
      ArrowDown: columns,
      ArrowUp: -columns,
      PageDown: columns * PAGE,
      PageUp: -columns * PAGE,
      Home: -entries.length,
      End: entries.length,
      ...(columns > 1 && { ArrowRight: isRightToLeft ? -1 : 1, ArrowLeft: isRightToLeft ? 1 : -1 }),
      ...(!event.shiftKey && !typed.isGoingOn(event.timeStamp) && { j: columns, k: -columns }),
    };
    return steps[event.key] ?? null;
  }
  function go(to: number, event: KeyboardEvent): void {
    const [from, next] = [entries[active], entries[Math.max(0, Math.min(entries.length - 1, to))]];
    if (!from || !next) return;
    if (event.shiftKey) selection.reach(next, entries, from);
    onMove(entries.indexOf(next));
  }
  function command(event: KeyboardEvent, entry: Entry): boolean {
    const some = entriesFor(entry, selection);
    const isMenu = event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey);
    if (event.key === "F2") commands.rename(entry);
    else if (event.key === "Delete" || (event.key === "Backspace" && event.metaKey)) commands.remove(some);
    else if (isMenu) {
      const { left, bottom } = (event.target as Element).getBoundingClientRect();
      commands.menu(some, { x: left, y: bottom });
    } else if (event.key === " " && !typed.isGoingOn(event.timeStamp)) commands.look(entry);
    else if (event.key === "x" && !typed.isGoingOn(event.timeStamp)) selection.toggle(entry);
    else return false;
    return true;
  }
  function find(event: KeyboardEvent): boolean {
    const words = typed.add(event.key, event.timeStamp);
    if (words === null) return false;
    const found = findTyped(entries.map(titleOf), words, active);
    if (found >= 0) onMove(found);
    return true;
  }
  return (event: KeyboardEvent) => {
    const entry = entries[active];
    // A box is ticked and a button pressed by the keys that mean something else on a name.
    const isOnControl = (event.target as Element).closest("input, button") !== null;
    if (!entry || event.altKey || event.nativeEvent.isComposing) return;
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && event.key !== "Backspace") {
      if (key === "a") selection.all(entries);
      else if (key === "x") commands.cut(entriesFor(entry, selection));
      else return;
    } else if (event.key === "Escape") {
      selection.clear();
      cut.clear();
    } else if (isOnControl && (event.key === " " || event.key === "Enter")) return;
    else {
      const step = stepOf(event);
      if (step !== null) go(active + step, event);
      else if (!command(event, entry) && !find(event)) return;
    }
    event.preventDefault();
    event.currentTarget.toggleAttribute("data-typing", typed.isGoingOn(event.timeStamp));
  };
}
