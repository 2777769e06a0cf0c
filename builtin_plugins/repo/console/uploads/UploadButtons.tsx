import { FilePlus2, FolderPlus, FolderUp, Upload } from "lucide-react";
import { useId, useRef } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button, type ButtonProps } from "@guildhall/console/ui/Button";
import { wantedOf } from "./dropped";
import { uploads } from "./store";
import styles from "./uploads.module.css";

interface PickProps {
  prefix: string;
  kind: NonNullable<ButtonProps["kind"]>;
  label: string;
  isFolder?: boolean;
  /** Keeps its words where there is little room. */
  isNamed?: boolean;
}

/** A button that opens the system's dialog; the input behind it has the same name. */
export function UploadButton({ prefix, kind, label, isFolder = false, isNamed = false }: PickProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const Icon = isFolder ? FolderUp : Upload;
  return (
    <>
      <Button kind={kind} onPress={() => input.current?.click()}>
        <Icon size={16} aria-hidden="true" />
        <span className={isNamed ? undefined : styles.words}>{label}</span>
      </Button>
      <input
        ref={input}
        id={id}
        type="file"
        multiple
        tabIndex={-1}
        className={styles.input}
        aria-label={label}
        {...(isFolder && { webkitdirectory: "" })}
        onChange={(event) => {
          uploads.add(wantedOf(event.target.files ?? [], prefix));
          event.target.value = "";
        }}
      />
    </>
  );
}

/** What can be put into a folder. */
export function UploadButtons({ prefix, onNewDocument, onNewFolder }: { prefix: string; onNewDocument: () => void; onNewFolder: () => void }) {
  const t = useText();
  return (
    <>
      <Button kind="quiet" onPress={onNewDocument}>
        <FilePlus2 size={16} aria-hidden="true" />
        <span className={styles.words}>{t("files.new_document")}</span>
      </Button>
      <Button kind="quiet" onPress={onNewFolder}>
        <FolderPlus size={16} aria-hidden="true" />
        <span className={styles.words}>{t("files.new_folder")}</span>
      </Button>
      <UploadButton prefix={prefix} kind="plain" label={t("files.upload_folder")} isFolder />
      <UploadButton prefix={prefix} kind="primary" label={t("action.upload")} isNamed />
    </>
  );
}
