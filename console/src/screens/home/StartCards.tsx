import { FolderUp, NotebookPen, UserPlus } from "lucide-react";
import { Link } from "wouter";

import { useShows } from "../../frame/switches";
import { useText } from "../../i18n/texts";
import { useMay } from "../../session/identity";
import styles from "./Home.module.css";

const CARDS = [
  { place: "/notes", path: "/notes/new", name: "home.start_note", text: "home.start_note_text", icon: NotebookPen, needs: "notes:write" },
  { place: "/files", path: "/files", name: "home.start_file", text: "home.start_file_text", icon: FolderUp, needs: "files:write" },
  { place: "/members", path: "/members", name: "home.start_invite", text: "home.start_invite_text", icon: UserPlus, needs: "members:manage" },
] as const;

/** Real work to begin with; in few words once there is some. */
export function StartCards({ isShort }: { isShort: boolean }) {
  const t = useText();
  const may = useMay();
  const shows = useShows();
  const cards = CARDS.filter(({ needs, place }) => may(needs) && shows(place));
  if (cards.length === 0) return null;
  return (
    <div className={styles.cards} data-short={isShort ? "" : undefined}>
      {cards.map(({ path, name, text, icon: Icon }) => (
        <Link key={path} href={path} className={styles.card ?? ""}>
          <Icon size={isShort ? 16 : 20} aria-hidden="true" />
          <span className={styles.name}>{t(name)}</span>
          {!isShort && <span className={styles.text}>{t(text)}</span>}
        </Link>
      ))}
    </div>
  );
}
