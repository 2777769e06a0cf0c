import { PencilLine } from "lucide-react";

import { useTexts } from "@guildhall/console/i18n/texts";
import styles from "./NotePane.module.css";
import type { Editor } from "./useEditors";

/** Who else writes in a note just now. */
export function NoteEditors({ editors }: { editors: readonly Editor[] }) {
  const { t, locale } = useTexts();
  const names = new Intl.ListFormat(locale).format(editors.map(({ name }) => `\u2068${name}\u2069`));
  return (
    <p role="status" className={styles.editors} hidden={editors.length === 0}>
      {editors.length > 0 && (
        <>
          <PencilLine size={14} aria-hidden="true" />
          {t("notes.editing", { names, count: editors.length })}
        </>
      )}
    </p>
  );
}
