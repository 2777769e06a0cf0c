import { FileText, X } from "lucide-react";
import { Button } from "react-aria-components";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "./AttachmentChips.module.css";
import type { Attachment } from "./conversation";

/** Documents that go along with a question. */
export function AttachmentChips({ attachments, onRemove }: { attachments: readonly Attachment[]; onRemove?: (removed: Attachment) => void }) {
  const t = useText();
  return (
    <ul className={styles.chips} aria-label={t("chat.attached")}>
      {attachments.map((attachment) => (
        <li key={attachment.id} className={styles.chip}>
          <FileText size={12} aria-hidden="true" />
          <Link href={`/files/${attachment.id}`} className={styles.name} dir="auto" title={attachment.name}>
            {attachment.name}
          </Link>
          {onRemove && (
            <Button className={styles.remove!} aria-label={t("action.remove_named", { name: attachment.name })} onPress={() => onRemove(attachment)}>
              <X size={12} />
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
