/** What is dragged within the page, and the folders that take it. */

import { useCallback, useState, type DragEvent } from "react";

import { fitsInto } from "./places";
import type { Entry } from "../tree";

/** Marks a drag as one of ours: what lies on the device is of the type "Files". */
const TYPE = "application/x-guildhall-entries";

let dragged: readonly Entry[] = [];

export function beginDrag(event: DragEvent, entries: readonly Entry[]): void {
  dragged = entries;
  event.dataTransfer.clearData();
  event.dataTransfer.setData(TYPE, String(entries.length));
  event.dataTransfer.effectAllowed = "move";
}

export const endDrag = (): void => void (dragged = []);

export interface DropPlace {
  "data-drop-prefix": string;
  "data-over": "" | undefined;
  onDragOver: (event: DragEvent) => void;
  onDragLeave: () => void;
  onDrop: (event: DragEvent) => void;
}

/** Makes an element a folder that takes what is dragged onto it; what comes from the device is the drop zone's. */
export function useDropPlace(prefix: string | null, onMove: (entries: readonly Entry[], prefix: string) => void): DropPlace | undefined {
  const [isOver, setOver] = useState(false);
  const onDragLeave = useCallback(() => setOver(false), []);
  if (prefix === null) return undefined;
  const takes = () => dragged.length > 0 && dragged.every((entry) => fitsInto(entry, prefix));
  return {
    "data-drop-prefix": prefix,
    "data-over": isOver ? "" : undefined,
    onDragOver(event) {
      if (!takes()) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
      setOver(true);
    },
    onDragLeave,
    onDrop(event) {
      setOver(false);
      if (!takes()) return;
      event.preventDefault();
      event.stopPropagation();
      onMove(dragged, prefix);
      endDrag();
    },
  };
}
