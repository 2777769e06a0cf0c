import { useEffect } from "react";

import { isTyping } from "@guildhall/console/ui/shortcuts";
import { cut } from "./moves/cut";
import { wantedFromPaste } from "./uploads/dropped";
import { uploads } from "./uploads/store";
import type { Entry } from "./tree";

/** Takes what is pasted: files from elsewhere are uploaded, and what was cut here is moved. */
export function PasteZone({ prefix, onMove }: { prefix: string; onMove: (entries: readonly Entry[], prefix: string) => void }) {
  useEffect(() => {
    const isElsewhere = (event: Event) => isTyping(event as KeyboardEvent) || document.querySelector("[role=dialog], [role=alertdialog]") !== null;
    const onPaste = (event: ClipboardEvent) => {
      if (isElsewhere(event)) return;
      const wanted = event.clipboardData ? wantedFromPaste(event.clipboardData.files, prefix, new Date()) : [];
      if (wanted.length > 0) uploads.add(wanted);
      else if (cut.entries.length > 0) {
        onMove(cut.entries, prefix);
        cut.clear();
      } else return;
      event.preventDefault();
    };
    window.addEventListener("paste", onPaste);
    return () => window.removeEventListener("paste", onPaste);
  }, [prefix, onMove]);
  return null;
}
