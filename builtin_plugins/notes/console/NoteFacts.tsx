import { Lock, Tag, Users } from "lucide-react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Time } from "@guildhall/console/ui/Time";
import styles from "./NotePane.module.css";
import type { Note } from "./version";

/** Whose it is, who sees it, and when it was changed; who sees it is left out where it can be chosen beside. */
export function NoteFacts({ note, isSeenBeside }: { note: Note; isSeenBeside?: boolean }) {
  const t = useText();
  const { user } = useIdentity();
  const isMine = note.owner.id === user.id;
  const shares = note.shared_with?.length ?? 0;
  const Icon = note.visibility === "team" ? Users : Lock;
  return (
    <p className={styles.facts}>
      {!isMine && (
        <span className={styles.fact} dir="auto">
          {note.owner.name}
        </span>
      )}
      {!isSeenBeside && (
        <span className={styles.fact}>
          <Icon size={14} aria-hidden="true" />
          {note.visibility === "team" ? t("visibility.team") : t(isMine ? "visibility.private" : "visibility.shared")}
        </span>
      )}
      {shares > 0 && <span className={styles.fact}>{t("share.people_count", { count: shares })}</span>}
      <span className={styles.fact}>
        <Time at={note.updated_at} />
      </span>
      {note.tags.map((tag) => (
        <Link key={tag} className={`${styles.fact} ${styles.tag}`} href={`/notes?tag=${encodeURIComponent(tag)}`}>
          <Tag size={14} aria-hidden="true" />
          <bdi>{tag}</bdi>
        </Link>
      ))}
      {!note.permissions.includes("notes:write") && <span className={styles.fact}>{t("state.read_only")}</span>}
    </p>
  );
}
