import { Download, MessageCircleQuestion, Pencil, Share2 } from "lucide-react";
import { useRef, useState } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { useAsk } from "@guildhall/console/ui/ask";
import { ActionMenu, type Action } from "@guildhall/console/ui/ActionMenu";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useChanges } from "../changes";
import { download } from "../download";
import { may, REMOVE, WRITE, type StoredObject, type Version } from "../objects";
import { plainName } from "@guildhall/console/ui/sizes";
import { folderOf } from "../tree";
import { uploads } from "../uploads/store";
import uploadStyles from "../uploads/uploads.module.css";
import { addressIn } from "../Views";
import { LinkDialog } from "./LinkDialog";

interface DocumentHeadProps {
  object: StoredObject;
  version: Version;
  isEditable: boolean;
  onEdit: () => void;
  onShare: (() => void) | undefined;
}

/** The name of an object and what can be done with it. */
export function DocumentHead({ object, version, isEditable, onEdit, onShare }: DocumentHeadProps) {
  const t = useText();
  const announce = useAnnounce();
  const { team } = useIdentity();
  const ask = useAsk();
  const [, navigate] = useLocation();
  const { remove } = useChanges();
  const [problem, setProblem] = useState<unknown>(null);
  const [isLinking, setLinking] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const mayAdd = may(object, WRITE) && object.team_id === team.id;
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    announce(t("action.copied"));
  };
  async function removeThis() {
    navigate(addressIn("all", folderOf(object.key)));
    const [failed] = await remove([object]);
    if (failed) announce(t("files.some_refused", { count: 1 }));
  }
  const actions: Action[] = [
    { id: "link", name: t("files.presign"), onAction: () => setLinking(true) },
    ...(mayAdd ? [{ id: "version", name: t("files.upload_version"), onAction: () => input.current?.click() }] : []),
    { id: "key", name: t("files.copy_key"), onAction: () => void copy(object.key) },
    { id: "id", name: t("action.copy_id"), onAction: () => void copy(object.id) },
    ...(may(object, REMOVE)
      ? [{ id: "delete", name: t("action.delete"), isDangerous: true, onAction: () => void removeThis() }]
      : []),
  ];
  return (
    <>
      <PageHead title={plainName(object.filename)}>
        {isEditable && (
          <Button kind="primary" onPress={onEdit}>
            <Pencil size={16} aria-hidden="true" />
            {t("action.edit")}
          </Button>
        )}
        {ask && (
          <Button onPress={() => ask({ type: "object", at: object.id })}>
            <MessageCircleQuestion size={16} aria-hidden="true" />
            {t("files.ask")}
          </Button>
        )}
        <Button onPress={() => void download({ ...object, size: version.size }, version.version).catch(setProblem)}>
          <Download size={16} aria-hidden="true" />
          {t("action.download")}
        </Button>
        {onShare && (
          <Button onPress={onShare}>
            <Share2 size={16} aria-hidden="true" />
            {t("action.share")}
          </Button>
        )}
        <ActionMenu of={object.filename} actions={actions} />
        {mayAdd && (
          <input
            ref={input}
            type="file"
            tabIndex={-1}
            className={uploadStyles.input}
            aria-label={t("files.upload_version")}
            onChange={(event) => {
              const file = event.target.files?.[0];
              if (file) uploads.add([{ key: object.key, file }]);
              event.target.value = "";
            }}
          />
        )}
      </PageHead>
      {problem !== null && <ProblemNotice problem={problem} />}
      {isLinking && <LinkDialog object={object} onClose={() => setLinking(false)} />}
    </>
  );
}
