import { Columns2, Eye, Pencil } from "lucide-react";
import { useCallback, useState } from "react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "./NotePane.module.css";

export type View = "write" | "split" | "preview";

const KEY = "guildhall.notes.view";
const VIEWS = [
  { id: "write", icon: Pencil, name: "notes.view_write" },
  { id: "split", icon: Columns2, name: "notes.view_split" },
  { id: "preview", icon: Eye, name: "notes.preview" },
] as const;

const isView = (value: string | null): value is View => VIEWS.some(({ id }) => id === value);

/** What of a note is shown, remembered on this device; who comes for a passage reads first. */
export function useView(isReading: boolean): [View, (view: View) => void] {
  const [view, setView] = useState<View>(() => {
    if (isReading) return "preview";
    const kept = localStorage.getItem(KEY);
    return isView(kept) ? kept : "write";
  });
  const choose = useCallback((chosen: View) => {
    localStorage.setItem(KEY, chosen);
    setView(chosen);
  }, []);
  return [view, choose];
}

export function ViewSwitch({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const t = useText();
  return (
    <ToggleButtonGroup
      aria-label={t("notes.view")}
      className={styles.views ?? ""}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[view]}
      onSelectionChange={(keys) => onChange([...keys][0] as View)}
    >
      {VIEWS.map(({ id, icon: Icon, name }) => (
        <ToggleButton key={id} id={id} aria-label={t(name)} className={`${styles.view} ${id === "split" ? styles.wide : ""}`}>
          <Icon size={16} />
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
