import { CircleX } from "lucide-react";
import type { ReactNode } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { reasonWords } from "@guildhall/console/ui/faultWords";
import { portionsOf } from "@guildhall/console/ui/portions";
import styles from "./Failure.module.css";

const LONGEST = 2_000;

/** Why a run or a step failed: in words where the code has some, in the tool's own, and the code itself. */
export function Failure({ error, children }: { error: { code: string; message: string | null }; children?: ReactNode }) {
  const { t, has } = useTexts();
  const key = `runs.error_${error.code}`;
  const words = has(key) ? t(key) : null;
  return (
    <div className={styles.failure}>
      <CircleX size={16} aria-hidden="true" />
      <div className={styles.words}>
        {words && <p>{words}</p>}
        {error.message && (
          <p dir="auto" className={styles.message}>
            {reasonWords(t, portionsOf(error.message, LONGEST)[0] ?? "")}
          </p>
        )}
        <p className={styles.code}>
          <code>{error.code}</code>
          {children}
        </p>
      </div>
    </div>
  );
}
