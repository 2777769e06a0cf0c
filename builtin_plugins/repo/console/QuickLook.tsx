import { ChevronLeft, ChevronRight } from "lucide-react";
import type { KeyboardEvent } from "react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Modal } from "@guildhall/console/ui/Modal";
import { titleOf } from "./moves/places";
import { Preview } from "./preview/Preview";
import type { Entry } from "./tree";
import styles from "./SidePanel.module.css";

interface QuickLookProps {
  entry: Extract<Entry, { kind: "object" }>;
  /** All files of the list, of which this is one. */
  entries: readonly Entry[];
  onChange: (entry: Entry) => void;
  onClose: () => void;
}

/** A look at a file without leaving the list: the arrows go to the next one, Space and Escape back. */
export function QuickLook({ entry, entries, onChange, onClose }: QuickLookProps) {
  const t = useText();
  const files = entries.filter(({ kind }) => kind === "object");
  const at = files.findIndex(({ id }) => id === entry.id);
  const [before, after] = [files[at - 1], files[at + 1]];
  const { object } = entry;
  const version = object.versions[0];
  const onKeyDown = (event: KeyboardEvent) => {
    const isTheirs = (event.target as Element).closest("audio, video, input, [role=region], button, a");
    const isRightToLeft = getComputedStyle(event.currentTarget).direction === "rtl";
    const [back, on] = isRightToLeft ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
    if (event.key === back && before && !isTheirs?.matches("audio, video, input")) onChange(before);
    else if (event.key === on && after && !isTheirs?.matches("audio, video, input")) onChange(after);
    else if (event.key === " " && !isTheirs) onClose();
    else return;
    event.preventDefault();
  };
  return (
    <Modal title={titleOf(entry)} isOpen isWide onClose={onClose}>
      <div className={styles.look} onKeyDown={onKeyDown}>
        <div className={styles.lookBar}>
          <Button kind="quiet" aria-label={t("files.look_before")} isDisabled={!before} onPress={() => before && onChange(before)}>
            <ChevronLeft size={16} />
          </Button>
          <Button kind="quiet" autoFocus aria-label={t("files.look_after")} isDisabled={!after} onPress={() => after && onChange(after)}>
            <ChevronRight size={16} />
          </Button>
          <span className={styles.quiet}>{t("files.look_place", { at: at + 1, count: files.length })}</span>
          <Link href={`/files/${object.id}`} className={styles.lookOpen ?? ""}>
            {t("action.open")}
          </Link>
          <Button onPress={onClose}>{t("action.close")}</Button>
        </div>
        {version && <Preview key={object.id} object={object} version={version} />}
      </div>
    </Modal>
  );
}
