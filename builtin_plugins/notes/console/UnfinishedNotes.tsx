import { Trash2 } from "lucide-react";
import { useMemo, useSyncExternalStore } from "react";
import { Link } from "wouter";

import { dropDraft, readDraft, subscribeDrafts, writeDraft } from "@guildhall/console/drafts/store";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { keptAs, unfinishedNotes } from "./newNotes";
import styles from "./Notes.module.css";

/** New notes that were begun on this device and not saved: to go on with, or to let go. */
export function UnfinishedNotes({ openId, addressOf }: { openId: string | null; addressOf: (id: string) => string }) {
  const t = useText();
  const announce = useAnnounce();
  const { user, team } = useIdentity();
  // As text: the same list is the same value.
  const listed = useSyncExternalStore(subscribeDrafts, () => JSON.stringify(unfinishedNotes(user.id, team.id)));
  const notes = useMemo(() => (JSON.parse(listed) as ReturnType<typeof unfinishedNotes>).filter(({ id }) => id !== openId), [listed, openId]);
  if (notes.length === 0) return null;
  function discard(id: string) {
    const thing = keptAs(team.id, id);
    const draft = readDraft(user.id, thing);
    dropDraft(user.id, thing);
    announce(t("notes.draft_dropped"), () => draft && writeDraft(user.id, thing, draft));
  }
  return (
    <section className={styles.unfinished} aria-label={t("notes.unfinished")}>
      <h2>{t("notes.unfinished")}</h2>
      <ul>
        {notes.map(({ id, name, at }) => (
          <li key={id}>
            <Link href={addressOf(id)} dir="auto">
              {name || t("notes.untitled")}
            </Link>
            <Time at={at} />
            <Button kind="quiet" aria-label={`${t("notes.discard")}: ${name || t("notes.untitled")}`} onPress={() => discard(id)}>
              <Trash2 size={16} aria-hidden="true" />
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
