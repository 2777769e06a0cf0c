import { Upload } from "lucide-react";
import { useEffect, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { crumbsOf } from "../tree";
import { wantedFromDrop } from "./dropped";
import { uploads } from "./store";
import styles from "./uploads.module.css";

/** The folder that something is held over, or the one that is open. */
const placeOf = ({ target }: DragEvent, prefix: string) =>
  (target instanceof Element ? target.closest("[data-drop-prefix]") : null)?.getAttribute("data-drop-prefix") ?? prefix;

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Takes files and folders that are dropped anywhere on the screen: into a folder that they are dropped on, or the open one. */
export function DropZone({ prefix }: { prefix: string }) {
  const t = useText();
  const [over, setOver] = useState<string | null>(null);
  useEffect(() => {
    // An element is left when one enters what is in it: count, and the last one out closes.
    let depth = 0;
    const listeners: Record<string, (event: DragEvent) => void> = {
      dragenter: (event) => {
        depth += 1;
        setOver(placeOf(event, prefix));
      },
      dragover: () => undefined,
      dragleave: () => {
        depth = Math.max(0, depth - 1);
        if (depth === 0) setOver(null);
      },
      drop: (event) => {
        depth = 0;
        setOver(null);
        if (event.dataTransfer) void wantedFromDrop(event.dataTransfer, placeOf(event, prefix)).then((wanted) => uploads.add(wanted));
      },
    };
    const hear = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      listeners[event.type]?.(event);
    };
    const names = Object.keys(listeners) as "dragenter"[];
    names.forEach((name) => window.addEventListener(name, hear));
    return () => names.forEach((name) => window.removeEventListener(name, hear));
  }, [prefix]);
  if (over === null) return null;
  const folder = crumbsOf(over).at(-1)?.name;
  return (
    <div className={styles.drop} role="status">
      <div className={styles.dropWords}>
        <Upload size={24} aria-hidden="true" />
        {folder ? t("files.drop_into", { folder }) : t("files.drop_here")}
      </div>
    </div>
  );
}
