import { useState } from "react";
import { Link, useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { ActionMenu } from "@guildhall/console/ui/ActionMenu";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import type { Conversation } from "./conversation";
import styles from "./ConversationList.module.css";
import type { ConversationStore } from "./conversations";

export interface ConversationListProps {
  store: ConversationStore;
  conversations: readonly Conversation[];
  openId: string | null;
  onGo?: () => void;
}

export function ConversationList({ store, conversations, openId, onGo }: ConversationListProps) {
  const t = useText();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const [renamed, setRenamed] = useState<Conversation | null>(null);
  function remove(id: string) {
    const undo = store.remove(id);
    if (id === openId) navigate("/chat");
    announce(t("chat.deleted"), undo);
  }
  return (
    <>
      <ul className={styles.list} aria-label={t("chat.conversations")}>
        {conversations.map((conversation) => (
          <li key={conversation.id} className={styles.item} data-open={conversation.id === openId ? "" : undefined}>
            <Link
              href={`/chat/${conversation.id}`}
              className={styles.link}
              dir="auto"
              title={conversation.title}
              aria-current={conversation.id === openId ? "page" : undefined}
              onClick={() => onGo?.()}
            >
              {conversation.title}
            </Link>
            <span className={styles.acts}>
              <ActionMenu
                of={conversation.title}
                actions={[
                  { id: "rename", name: t("action.rename"), onAction: () => setRenamed(conversation) },
                  { id: "delete", name: t("action.delete"), isDangerous: true, onAction: () => remove(conversation.id) },
                ]}
              />
            </span>
          </li>
        ))}
      </ul>
      {conversations.length > 0 && <p className={styles.kept}>{t("chat.kept_here")}</p>}
      <Modal title={t("chat.rename")} isOpen={renamed !== null} onClose={() => setRenamed(null)}>
        {renamed && (
          <RenameForm
            title={renamed.title}
            onClose={() => setRenamed(null)}
            onRename={(title) => {
              store.rename(renamed.id, title);
              setRenamed(null);
            }}
          />
        )}
      </Modal>
    </>
  );
}

function RenameForm({ title, onClose, onRename }: { title: string; onClose: () => void; onRename: (title: string) => void }) {
  const t = useText();
  const [name, setName] = useState(title);
  return (
    <Form name="rename-conversation" onSubmit={() => onRename(name.trim())}>
      <TextField label={t("list.name")} isRequired value={name} onChange={setName} maxLength={200} autoFocus />
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          {t("action.cancel")}
        </Button>
        <Button kind="primary" type="submit">
          {t("action.rename")}
        </Button>
      </Actions>
    </Form>
  );
}
