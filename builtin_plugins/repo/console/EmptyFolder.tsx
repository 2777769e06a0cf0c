import { FolderOpen } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "./Browser.module.css";
import type { View } from "./objects";
import { UploadButton } from "./uploads/UploadButtons";

/** What an empty view is for, and what to do there. */
export function EmptyFolder({ view, prefix, mayUpload }: { view: View; prefix: string; mayUpload: boolean }) {
  const t = useText();
  return (
    <div className={styles.empty}>
      <FolderOpen size={24} aria-hidden="true" />
      <p className={styles.emptyTitle}>{view === "all" && mayUpload ? t("files.empty_drop") : t(`files.empty_${view}`)}</p>
      {view === "all" && mayUpload && (
        <>
          <p>{t("files.empty")}</p>
          <UploadButton prefix={prefix} kind="plain" label={t("files.choose")} isNamed />
        </>
      )}
    </div>
  );
}
