import { TriangleAlert } from "lucide-react";
import { useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import styles from "./Warnings.module.css";

/** So many before somebody wants more: what they are about comes first. */
const FEW = 5;

/** What is odd and can work all the same, each with its place. */
export function Warnings({ warnings }: { warnings: readonly { pointer: string; message: string }[] }) {
  const t = useText();
  const [areAll, setAll] = useState(false);
  if (warnings.length === 0) return null;
  return (
    <section className={styles.warnings} aria-label={t("workflows.warnings")}>
      <TriangleAlert size={16} aria-hidden="true" />
      <ul>
        {(areAll ? warnings : warnings.slice(0, FEW)).map(({ pointer, message }) => (
          <li key={pointer + message}>
            {pointer && <code>{pointer}</code>} {message}
          </li>
        ))}
        {!areAll && warnings.length > FEW && (
          <li>
            <Button kind="quiet" onPress={() => setAll(true)}>
              {t("action.show_more")} ({warnings.length - FEW})
            </Button>
          </li>
        )}
      </ul>
    </section>
  );
}
