import { CircleX } from "lucide-react";

import type { FieldFault } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import styles from "./Faults.module.css";

export interface FaultsProps {
  faults: readonly FieldFault[];
  lineOf: (pointer: string) => number;
  onGo: (line: number) => void;
}

/** What the server refused of a spec, one a line, each with the way to its place. */
export function Faults({ faults, lineOf, onGo }: FaultsProps) {
  const t = useText();
  if (faults.length === 0) return null;
  return (
    <div role="alert" className={styles.faults}>
      <p className={styles.head}>
        <CircleX size={16} aria-hidden="true" />
        {t("workflows.faults", { count: faults.length })}
      </p>
      <ul className={styles.list}>
        {faults.map(({ pointer, message }) => {
          const line = lineOf(pointer);
          return (
            <li key={pointer + message} className={styles.fault}>
              <Button kind="quiet" onPress={() => onGo(line)}>
                {t("workflows.line", { line })}
              </Button>
              <span className={styles.words}>
                <code>{pointer || "/"}</code> {message}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
