import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FolderPlus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { ActionMenu } from "@guildhall/console/ui/ActionMenu";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import styles from "./ConversationList.module.css";
import { useSending } from "./useSending";

const KEY = ["conversation-folders"];
const MAX_FOLDERS = 200;

export function useFolders() {
  return useQuery({
    queryKey: KEY,
    queryFn: () => dataOf(api.GET("/api/conversation-folders", { params: { query: { limit: MAX_FOLDERS } } })),
    select: ({ items }) => items.map(({ id, name }) => ({ id, name })),
  });
}

/** Which conversations are listed: all, those of a folder, or what others share; and the folders themselves. */
export function Folders({ where, onChange }: { where: string; onChange: (where: string) => void }) {
  const t = useText();
  const client = useQueryClient();
  const folders = useFolders();
  const [dialog, setDialog] = useState<"new" | "rename" | null>(null);
  const options = [{ id: "all", name: t("chat.all") }, { id: "shared", name: t("chat.shared_with_me") }, ...(folders.data ?? [])];
  const folder = folders.data?.find(({ id }) => id === where);
  async function changed(next: string) {
    setDialog(null);
    await client.invalidateQueries({ queryKey: KEY });
    await client.invalidateQueries({ queryKey: ["conversations"] });
    onChange(next);
  }
  async function save(name: string) {
    if (dialog === "rename" && folder) {
      await api.PATCH("/api/conversation-folders/{id}", { params: { path: { id: folder.id } }, body: { name } });
      return changed(folder.id);
    }
    const made = await dataOf(api.POST("/api/conversation-folders", { body: { name } }));
    return changed(made.id);
  }
  async function remove(id: string) {
    await api.DELETE("/api/conversation-folders/{id}", { params: { path: { id } } });
    await changed("all");
  }
  return (
    <div className={styles.where}>
      <Select label={t("chat.folder")} isLabelHidden options={options} value={where} onChange={onChange} />
      <Button kind="quiet" aria-label={t("chat.new_folder")} onPress={() => setDialog("new")}>
        <FolderPlus size={16} />
      </Button>
      {folder && (
        <ActionMenu
          of={folder.name}
          actions={[
            { id: "rename", name: t("action.rename"), onAction: () => setDialog("rename") },
            { id: "delete", name: t("chat.delete_folder"), isDangerous: true, onAction: () => void remove(folder.id) },
          ]}
        />
      )}
      <Modal title={t(dialog === "rename" ? "action.rename" : "chat.new_folder")} isOpen={dialog !== null} onClose={() => setDialog(null)}>
        <NameForm name={dialog === "rename" ? (folder?.name ?? "") : ""} onClose={() => setDialog(null)} onSave={save} />
      </Modal>
    </div>
  );
}

function NameForm({ name: before, onClose, onSave }: { name: string; onClose: () => void; onSave: (name: string) => Promise<void> }) {
  const t = useText();
  const [name, setName] = useState(before);
  const { problem, send, faultAt } = useSending();
  return (
    <Form name="conversation-folder" onSubmit={() => void send(() => onSave(name.trim()))}>
      {problem !== null && <ProblemNotice problem={problem} />}
      <TextField label={t("list.name")} isRequired value={name} onChange={setName} maxLength={64} autoFocus {...faultAt("/name")} />
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          {t("action.cancel")}
        </Button>
        <Button kind="primary" type="submit">
          {t("chat.save_folder")}
        </Button>
      </Actions>
    </Form>
  );
}
