import { Ban, CircleCheck, CircleX, Clock, RotateCw, X } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";

import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Refusal } from "../Refusal";
import { formatSize, plainName } from "@guildhall/console/ui/sizes";
import type { Upload } from "./queue";
import { uploads, useUpload } from "./store";
import { Track } from "./Track";
import styles from "./uploads.module.css";

/** One upload: how far it is, or what came of it. */
export const UploadRow = memo(function UploadRow({ id }: { id: number }) {
  const { t, locale } = useTexts();
  const upload = useUpload(id);
  if (!upload) return null;
  const name = plainName(upload.key);
  const isOpen = upload.state === "sending" || upload.state === "waiting";
  return (
    <li className={styles.row} data-state={upload.state}>
      <div className={styles.rowLine}>
        <span className={styles.name} dir="auto" title={name}>
          {upload.object ? <Link href={`/files/${upload.object.id}`}>{name}</Link> : name}
        </span>
        <span className={styles.size}>{formatSize(upload.file.size, locale)}</span>
        <Outcome upload={upload} />
        {isOpen && (
          <Button kind="quiet" aria-label={t("files.cancel_upload", { name })} onPress={() => uploads.cancel(id)}>
            <X size={16} />
          </Button>
        )}
        {(upload.state === "refused" || upload.state === "cancelled") && (
          <Button kind="quiet" aria-label={t("files.retry_upload", { name })} onPress={() => uploads.retry(id)}>
            <RotateCw size={16} />
          </Button>
        )}
        {!isOpen && (
          <Button kind="quiet" aria-label={t("files.dismiss_upload", { name })} onPress={() => uploads.dismiss(id)}>
            <X size={16} />
          </Button>
        )}
      </div>
      {upload.state === "sending" && <Track name={t("files.progress_of", { name })} percent={percentOf(upload)} />}
      {upload.state === "refused" && <Refusal problem={upload.problem} />}
    </li>
  );
});

function percentOf({ sent, file }: Upload): number {
  return file.size === 0 ? 0 : Math.floor(Math.min(1, sent / file.size) * 100);
}

function Outcome({ upload }: { upload: Upload }) {
  const t = useText();
  switch (upload.state) {
    case "waiting":
      return (
        <span className={styles.outcome}>
          <Clock size={14} aria-hidden="true" /> {t("files.upload_waiting")}
        </span>
      );
    case "sending":
      return <span className={styles.outcome}>{percentOf(upload)} %</span>;
    case "done":
      return (
        <span className={styles.outcome}>
          <CircleCheck size={14} aria-hidden="true" />{" "}
          {upload.isNewVersion ? t("files.new_version", { number: upload.object?.version ?? 0 }) : t("files.uploaded")}
        </span>
      );
    case "refused":
      return (
        <span className={styles.fault}>
          <CircleX size={14} aria-hidden="true" /> {t("files.upload_refused")}
        </span>
      );
    case "cancelled":
      return (
        <span className={styles.outcome}>
          <Ban size={14} aria-hidden="true" /> {t("state.cancelled")}
        </span>
      );
  }
}
