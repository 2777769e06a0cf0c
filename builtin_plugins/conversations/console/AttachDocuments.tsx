import { useQuery } from "@tanstack/react-query";
import { Paperclip } from "lucide-react";
import { useDeferredValue, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { TextField } from "@guildhall/console/ui/TextField";
import styles from "./AttachDocuments.module.css";
import type { Attachment } from "./conversation";

const MAX_SHOWN = 50;

interface Found extends Attachment {
  /** Why it cannot be attached, where that is known. */
  textStatus: string | null;
}

/** Documents of the repository that can be attached: all of them by key, or those that words are found in. */
async function findDocuments(words: string, signal: AbortSignal): Promise<Found[]> {
  if (words === "") {
    const { items } = await dataOf(api.GET("/api/repo", { params: { query: { limit: MAX_SHOWN } }, signal }));
    return items.map(({ id, key, text_status }) => ({ id, name: key, textStatus: text_status === "indexed" || text_status === "stale" ? null : text_status }));
  }
  const { items } = await dataOf(api.GET("/api/search", { params: { query: { q: words, type: "object", limit: MAX_SHOWN } }, signal }));
  return items.map(({ id, title }) => ({ id, name: title, textStatus: null }));
}

export function AttachDocuments({ attachments, onChange }: { attachments: Attachment[]; onChange: (attachments: Attachment[]) => void }) {
  const t = useText();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may("files:read") || !may("search")) return null;
  return (
    <>
      <Button kind="quiet" aria-label={t("chat.attach")} onPress={() => setOpen(true)}>
        <Paperclip size={16} />
      </Button>
      <Modal title={t("chat.attach")} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Picker
          chosen={attachments}
          onClose={() => setOpen(false)}
          onChoose={(chosen) => {
            onChange(chosen);
            setOpen(false);
          }}
        />
      </Modal>
    </>
  );
}

interface PickerProps {
  chosen: Attachment[];
  onClose: () => void;
  onChoose: (chosen: Attachment[]) => void;
}

function Picker({ chosen: before, onClose, onChoose }: PickerProps) {
  const t = useText();
  const [words, setWords] = useState("");
  const wanted = useDeferredValue(words.trim());
  const [chosen, setChosen] = useState(before);
  const found = useQuery({ queryKey: ["attachable", wanted], queryFn: ({ signal }) => findDocuments(wanted, signal) });
  const isChosen = (id: string) => chosen.some((attachment) => attachment.id === id);
  return (
    <Form name="attach" onSubmit={() => onChoose(chosen)}>
      <TextField label={t("chat.attach_search")} type="search" value={words} onChange={setWords} autoFocus />
      {found.isPending ? (
        <SkeletonRows />
      ) : found.isError ? (
        <ProblemNotice problem={found.error} onRetry={() => void found.refetch()} />
      ) : found.data.length === 0 ? (
        <p className={styles.why}>{t(wanted ? "chat.attach_none" : "chat.attach_empty")}</p>
      ) : (
        <ul className={styles.list} aria-label={t("chat.attach")}>
          {found.data.map(({ id, name, textStatus }) => (
            <li key={id} className={styles.row}>
              <Checkbox
                isSelected={isChosen(id)}
                isDisabled={textStatus !== null}
                onChange={(isOn) => setChosen(isOn ? [...chosen, { id, name }] : chosen.filter((one) => one.id !== id))}
              >
                {name}
              </Checkbox>
              {textStatus && <span className={styles.why}>{t(`files.text_${textStatus}`)}</span>}
            </li>
          ))}
        </ul>
      )}
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          {t("action.cancel")}
        </Button>
        <Button kind="primary" type="submit">
          {t("chat.attach_add", { count: chosen.length })}
        </Button>
      </Actions>
    </Form>
  );
}
