import { Pencil, type LucideIcon } from "lucide-react";

import { Button } from "./Button";
import styles from "./RowAction.module.css";

interface RowActionProps {
  icon: LucideIcon;
  name: string;
  /** The name of the row's thing, for those who do not see in which row it stands. */
  of: string;
  onPress: () => void;
}

/** What can be done with one row: an icon and a word, on a phone the icon alone. */
export function RowAction({ icon: Icon, name, of, onPress }: RowActionProps) {
  return (
    <Button kind="quiet" aria-label={`${name}: ${of}`} aria-keyshortcuts={Icon === Pencil ? "e" : undefined} onPress={onPress}>
      <Icon size={16} aria-hidden="true" />
      <span className={styles.word}>{name}</span>
    </Button>
  );
}
