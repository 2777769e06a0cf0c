import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { uploads, useUploadIds, useUploadSummary } from "./store";
import { Track } from "./Track";
import { UploadRow } from "./UploadRow";
import styles from "./uploads.module.css";

/** More are not drawn: whoever drops ten thousand files reads the figures. */
const MAX_ROWS = 6;
const URGENCY = { refused: 0, sending: 1, waiting: 2, done: 3, cancelled: 4 };

/** What is being uploaded and what came of it, until it is cleared away. */
export function UploadTray() {
  const t = useText();
  const ids = useUploadIds();
  const { total, open, done, refused, progress } = useUploadSummary();
  if (total === 0) return null;
  const byUrgency = ids
    .map((id) => uploads.get(id))
    .flatMap((upload) => upload ?? [])
    .sort((one, other) => URGENCY[one.state] - URGENCY[other.state] || one.id - other.id);
  const shown = new Set(byUrgency.slice(0, MAX_ROWS).map(({ id }) => id));
  const hidden = total - shown.size;
  const words = [
    done > 0 && t("files.uploaded_count", { count: done }),
    refused > 0 && t("files.refused_count", { count: refused }),
  ].filter(Boolean);
  return (
    <section className={styles.tray} aria-label={t("files.uploads")}>
      <div className={styles.trayHead}>
        <span className={styles.trayWords} role="status">
          {open > 0 ? t("files.uploading", { count: open }) : words.join(" · ")}
          {open > 0 && refused > 0 && ` · ${t("files.refused_count", { count: refused })}`}
        </span>
        {open > 0 ? (
          <Button kind="quiet" onPress={() => uploads.cancelAll()}>
            {t("files.cancel_all")}
          </Button>
        ) : (
          <Button kind="quiet" onPress={() => uploads.dismiss()}>
            {t("files.clear_uploads")}
          </Button>
        )}
      </div>
      {open > 0 && total > 1 && <Track name={t("files.all_uploads")} percent={Math.floor(progress * 100)} />}
      <ul className={styles.rows}>
        {ids.filter((id) => shown.has(id)).map((id) => (
          <UploadRow key={id} id={id} />
        ))}
      </ul>
      {hidden > 0 && <p className={styles.more}>{t("files.more_uploads", { count: hidden })}</p>}
    </section>
  );
}
