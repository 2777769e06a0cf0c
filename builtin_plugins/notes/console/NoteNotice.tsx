import { Info } from "lucide-react";
import type { ReactNode } from "react";

import { Time } from "@guildhall/console/ui/Time";
import styles from "./NotePane.module.css";

/** Something to know about the text, told beside it; the text stays as it is. */
export function NoteNotice({ text, at, children }: { text: string; at?: string; children?: ReactNode }) {
  return (
    <div role="status" className={styles.notice}>
      <Info size={16} aria-hidden="true" />
      <p>
        {text}
        {at && (
          <>
            {" · "}
            <Time at={at} />
          </>
        )}
      </p>
      {children}
    </div>
  );
}
