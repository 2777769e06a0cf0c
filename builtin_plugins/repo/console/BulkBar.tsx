import { Download, RotateCcw, Trash2, X } from "lucide-react";
import { useMemo, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { Select } from "@guildhall/console/ui/Select";
import styles from "./BulkBar.module.css";
import { each, useChanges, type Failed } from "./changes";
import { download } from "./download";
import { MANAGE, may, REMOVE, type StoredObject, type View, type Visibility } from "./objects";
import { useRefusalWords } from "./Refusal";
import { usePicked, type Selection } from "./selection";
import type { Entry } from "./tree";

const VISIBILITIES = ["private", "shared", "team"] as const;

/** What can be done with everything that is ticked; each thing only for those that allow it. */
export function BulkBar({ view, selection, entries }: { view: View; selection: Selection; entries: readonly Entry[] }) {
  const t = useText();
  const picked = usePicked(selection);
  const changes = useChanges();
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const [isPending, setPending] = useState(false);
  const [isSure, setSure] = useState(false);
  // As they are now: a row may have changed since it was ticked.
  const objects = useMemo(() => {
    const now = new Map<string, StoredObject>();
    if (picked.size > 0) for (const entry of entries) if (entry.kind === "object") now.set(entry.id, entry.object);
    return [...picked.values()].map((object) => now.get(object.id) ?? object);
  }, [picked, entries]);
  const removable = objects.filter((object) => may(object, REMOVE));
  const manageable = objects.filter((object) => may(object, MANAGE));

  async function act(how: (objects: readonly StoredObject[]) => Promise<Failed[]>, on: readonly StoredObject[]) {
    setPending(true);
    setFailed([]);
    selection.clear();
    setFailed(await how(on));
    setPending(false);
  }
  if (picked.size === 0 && failed.length === 0) return null;
  return (
    <div className={styles.place}>
      {failed.length > 0 && <FailedNotice failed={failed} onClose={() => setFailed([])} />}
      {picked.size > 0 && (
        <div role="toolbar" aria-label={t("files.with_selected")} className={styles.bar}>
          <span className={styles.count} aria-live="polite">
            {t("files.selected", { count: picked.size })}
          </span>
          {view === "deleted" ? (
            <>
              <Button isDisabled={isPending || removable.length === 0} onPress={() => void act(changes.bringBack, removable)}>
                <RotateCcw size={16} aria-hidden="true" />
                {t("files.restore")}
              </Button>
              {removable.length > 0 && (
                <Button kind="danger" isDisabled={isPending} onPress={() => setSure(true)}>
                  <Trash2 size={16} aria-hidden="true" />
                  {t("files.delete_for_good")}
                </Button>
              )}
            </>
          ) : (
            <>
              <Button isDisabled={isPending} onPress={() => void act((all) => each(all, (object) => download(object)), objects)}>
                <Download size={16} aria-hidden="true" />
                {t("action.download")}
              </Button>
              {manageable.length > 0 && (
                <Select
                  label={t("files.change_visibility")}
                  isLabelHidden
                  placeholder={t("files.change_visibility")}
                  value={null}
                  onChange={(visibility) => void act((all) => changes.show(all, visibility as Visibility), manageable)}
                  options={VISIBILITIES.map((id) => ({ id, name: t(`visibility.${id}`) }))}
                />
              )}
              {removable.length > 0 && (
                <Button isDisabled={isPending} onPress={() => void act(changes.remove, removable)}>
                  <Trash2 size={16} aria-hidden="true" />
                  {removable.length === objects.length ? t("action.delete") : t("files.delete_some", { count: removable.length })}
                </Button>
              )}
            </>
          )}
          <Button kind="quiet" aria-label={t("action.clear_selection")} onPress={() => selection.clear()}>
            <X size={16} />
          </Button>
        </div>
      )}
      {isSure && (
        <ConfirmByName
          isOpen
          title={t("files.delete_for_good")}
          text={t("files.delete_for_good_text", { count: removable.length })}
          name={removable.length === 1 ? (removable[0]?.filename ?? "") : t("files.count", { count: removable.length })}
          action={t("files.delete_for_good")}
          onClose={() => setSure(false)}
          onConfirm={() => act(changes.destroy, removable)}
        />
      )}
    </div>
  );
}

function FailedNotice({ failed, onClose }: { failed: readonly Failed[]; onClose: () => void }) {
  const t = useText();
  return (
    <div role="alert" className={styles.failed}>
      <div>
        <p>{t("files.some_refused", { count: failed.length })}</p>
        <ul>
          {failed.slice(0, 5).map(({ object, problem }) => (
            <FailedLine key={object.id} name={object.filename} problem={problem} />
          ))}
        </ul>
      </div>
      <Button kind="quiet" aria-label={t("action.close")} onPress={onClose}>
        <X size={16} />
      </Button>
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
