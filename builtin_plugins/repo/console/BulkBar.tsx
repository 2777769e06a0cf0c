import { Download, FolderInput, RotateCcw, Trash2, X } from "lucide-react";
import { useMemo, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { Select } from "@guildhall/console/ui/Select";
import styles from "./BulkBar.module.css";
import { useChanges, type Failed } from "./changes";
import { MANAGE, may, REMOVE, type StoredObject, type View, type Visibility } from "./objects";
import { useRefusalWords } from "./Refusal";
import { usePicked, type Selection } from "./selection";
import type { Entry } from "./tree";
import { useIsMovable, type MenuCommands } from "./useEntryMenu";

const VISIBILITIES = ["private", "shared", "team"] as const;

export interface BulkBarProps {
  view: View;
  selection: Selection;
  entries: readonly Entry[];
  commands: MenuCommands;
  /** Does something with files, clears the selection and says what was refused. */
  act: (how: (objects: readonly StoredObject[]) => Promise<Failed[]>, on: readonly StoredObject[]) => Promise<void>;
  isPending: boolean;
}

/** What can be done with everything that is selected; each thing only for those that allow it. */
export function BulkBar({ view, selection, entries, commands, act, isPending }: BulkBarProps) {
  const t = useText();
  const picked = usePicked(selection);
  const changes = useChanges();
  const [isSure, setSure] = useState(false);
  const isMovable = useIsMovable(view);
  // As they are now: a row may have changed since it was selected.
  const now = useMemo(() => {
    const current = new Map<string, Entry>();
    if (picked.size > 0) for (const entry of entries) current.set(entry.id, entry);
    return [...picked.values()].map((entry) => current.get(entry.id) ?? entry);
  }, [picked, entries]);
  const objects = now.flatMap((entry) => (entry.kind === "object" ? [entry.object] : []));
  const removable = now.filter((entry) => (entry.kind === "object" ? may(entry.object, REMOVE) : isMovable(entry)));
  const removableObjects = objects.filter((object) => may(object, REMOVE));
  const manageable = objects.filter((object) => may(object, MANAGE));
  const movable = now.filter(isMovable);
  if (picked.size === 0) return null;
  return (
    <div className={styles.place}>
      <div role="toolbar" aria-label={t("files.with_selected")} className={styles.bar}>
        <span className={styles.count} aria-live="polite">
          {t("files.selected", { count: picked.size })}
        </span>
        {view === "deleted" ? (
          <>
            <Button isDisabled={isPending || removableObjects.length === 0} onPress={() => commands.restore(removableObjects)}>
              <RotateCcw size={16} aria-hidden="true" />
              {t("files.restore")}
            </Button>
            {removableObjects.length > 0 && (
              <Button kind="danger" isDisabled={isPending} onPress={() => setSure(true)}>
                <Trash2 size={16} aria-hidden="true" />
                {t("files.delete_for_good")}
              </Button>
            )}
          </>
        ) : (
          <>
            {objects.length > 0 && (
              <Button isDisabled={isPending} onPress={() => commands.download(objects)}>
                <Download size={16} aria-hidden="true" />
                <span className={styles.word}>{t("action.download")}</span>
              </Button>
            )}
            {movable.length > 0 && (
              <Button isDisabled={isPending} onPress={() => commands.askWhere(movable)}>
                <FolderInput size={16} aria-hidden="true" />
                <span className={styles.word}>{t("files.move")}</span>
              </Button>
            )}
            {manageable.length > 0 && (
              <span className={styles.wide}>
                <Select
                  label={t("files.change_visibility")}
                  isLabelHidden
                  placeholder={t("files.change_visibility")}
                  value={null}
                  onChange={(visibility) => void act((all) => changes.show(all, visibility as Visibility), manageable)}
                  options={VISIBILITIES.map((id) => ({ id, name: t(`visibility.${id}`) }))}
                />
              </span>
            )}
            {removable.length > 0 && (
              <Button isDisabled={isPending} onPress={() => commands.remove(removable)}>
                <Trash2 size={16} aria-hidden="true" />
                <span className={styles.word}>
                  {removable.length === now.length ? t("action.delete") : t("files.delete_some", { count: removable.length })}
                </span>
              </Button>
            )}
          </>
        )}
        <Button kind="quiet" aria-label={t("action.clear_selection")} onPress={() => selection.clear()}>
          <X size={16} />
        </Button>
      </div>
      {isSure && (
        <ConfirmByName
          isOpen
          title={t("files.delete_for_good")}
          text={t("files.delete_for_good_text", { count: removableObjects.length })}
          name={removableObjects.length === 1 ? (removableObjects[0]?.filename ?? "") : t("files.count", { count: removableObjects.length })}
          action={t("files.delete_for_good")}
          onClose={() => setSure(false)}
          onConfirm={() => act(changes.destroy, removableObjects)}
        />
      )}
    </div>
  );
}

/** What was left as it was, each with why. */
export function FailedNotice({ failed, onClose }: { failed: readonly Failed[]; onClose: () => void }) {
  const t = useText();
  if (failed.length === 0) return null;
  return (
    <div className={styles.place}>
      <div role="alert" className={styles.failed}>
        <div>
          <p>{t("files.some_refused", { count: failed.length })}</p>
          <ul>
            {failed.slice(0, 5).map(({ id, name, problem }) => (
              <FailedLine key={id} name={name} problem={problem} />
            ))}
          </ul>
        </div>
        <Button kind="quiet" aria-label={t("action.close")} onPress={onClose}>
          <X size={16} />
        </Button>
      </div>
    </div>
  );
}

function FailedLine({ name, problem }: { name: string; problem: unknown }) {
  const words = useRefusalWords(problem);
  return (
    <li>
      <bdi>{name}</bdi>: {words}
    </li>
  );
}
