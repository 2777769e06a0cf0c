import { ChevronRight, CornerLeftUp, Folder } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { plainName } from "@guildhall/console/ui/sizes";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { useFolder } from "../objects";
import { crumbsOf, folderOf, type Entry } from "../tree";
import styles from "./moves.module.css";
import { fitsInto, titleOf } from "./places";

interface MoveDialogProps {
  entries: readonly Entry[];
  /** Where one looks first. */
  start: string;
  onMove: (prefix: string) => void;
  onClose: () => void;
}

/** Chooses a folder for what is to be moved, folder by folder. */
export function MoveDialog({ entries, start, onMove, onClose }: MoveDialogProps) {
  const t = useText();
  const [prefix, setPrefix] = useState(start);
  const [first] = entries;
  const title = entries.length === 1 && first ? t("files.move_one", { name: titleOf(first) }) : t("files.move_some", { count: entries.length });
  const place = plainName(crumbsOf(prefix).at(-1)?.name ?? "") || t("nav.files");
  return (
    <Modal title={title} isOpen onClose={onClose}>
      <p className={styles.place} aria-live="polite">
        {t("nav.files")}
        {crumbsOf(prefix).map(({ name, prefix: to }) => (
          <span key={to}>
            <ChevronRight size={12} aria-hidden="true" />
            <bdi>{plainName(name) || "/"}</bdi>
          </span>
        ))}
      </p>
      <Folders key={prefix} prefix={prefix} entries={entries} onGo={setPrefix} />
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          {t("action.cancel")}
        </Button>
        <Button
          kind="primary"
          isDisabled={!entries.some((entry) => fitsInto(entry, prefix))}
          onPress={() => {
            onMove(prefix);
            onClose();
          }}
        >
          {t("files.move_to", { folder: place })}
        </Button>
      </Actions>
    </Modal>
  );
}

/** The folders in one, and the way up; the first of them has the focus once they are here. */
function Folders({ prefix, entries, onGo }: { prefix: string; entries: readonly Entry[]; onGo: (prefix: string) => void }) {
  const t = useText();
  const list = useRef<HTMLUListElement>(null);
  const pages = useFolder("all", prefix, { sort: "name", order: "asc" });
  const isHere = !pages.isPending;
  useEffect(() => {
    if (isHere) list.current?.querySelector("button")?.focus();
  }, [isHere]);
  if (pages.isPending) return <SkeletonRows count={4} />;
  if (pages.isError && !pages.data) return <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />;
  const moved = new Set(entries.map(({ id }) => id));
  const folders = (pages.data?.pages ?? []).flatMap((page) => page.folders).filter((folder) => !moved.has(folder));
  return (
    <>
      <ul ref={list} className={styles.folders} aria-label={t("files.folders")}>
        {prefix && (
          <li>
            <Button kind="quiet" onPress={() => onGo(folderOf(prefix.slice(0, -1)))}>
              <CornerLeftUp size={16} aria-hidden="true" />
              {t("files.up")}
            </Button>
          </li>
        )}
        {folders.map((folder) => (
          <li key={folder}>
            <Button kind="quiet" onPress={() => onGo(folder)}>
              <Folder size={16} aria-hidden="true" />
              <bdi>{plainName(folder.slice(prefix.length, -1)) || "/"}</bdi>
            </Button>
          </li>
        ))}
      </ul>
      {folders.length === 0 && !pages.hasNextPage && <p className={styles.none}>{t("files.no_folders")}</p>}
      {pages.hasNextPage && (
        <Button isPending={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
          {t("action.show_more")}
        </Button>
      )}
    </>
  );
}
