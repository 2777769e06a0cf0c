import { useQuery } from "@tanstack/react-query";
import { MessagesSquare, Plus } from "lucide-react";
import { useState, useSyncExternalStore } from "react";
import { useLocation, useRoute } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useFeature } from "./features";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Modal } from "@guildhall/console/ui/Modal";
import { useFilters } from "@guildhall/console/ui/query";
import styles from "./Chat.module.css";
import { conversationsOf } from "./conversations";
import { ConversationList } from "./ConversationList";
import { ConversationView } from "./ConversationView";

// The first answer is drawn as soon as it comes.
void import("@guildhall/console/ui/MarkdownView");

export default function Chat() {
  const t = useText();
  const { user, team } = useIdentity();
  const hasAgent = useFeature("agent");
  const store = conversationsOf(user.id, team.id);
  const conversations = useSyncExternalStore(store.subscribe, store.list);
  const [, params] = useRoute("/chat/:id?");
  const [, navigate] = useLocation();
  const [isListOpen, setListOpen] = useState(false);
  const attached = useAttached();
  const id = params?.id ?? null;
  const conversation = id === null ? null : (store.find(id) ?? null);

  const start = () => navigate("/chat");
  const list = <ConversationList store={store} conversations={conversations} openId={id} onGo={() => setListOpen(false)} />;
  return (
    <div className={styles.chat}>
      <aside className={styles.side} aria-label={t("chat.conversations")}>
        <Button onPress={start}>
          <Plus size={16} aria-hidden="true" />
          {t("chat.new")}
        </Button>
        {list}
      </aside>
      <div className={styles.main}>
        <div className={styles.head}>
          <h1 dir="auto" title={conversation?.title}>
            {conversation?.title ?? t("nav.chat")}
          </h1>
          <span className={styles.narrow}>
            <Button kind="quiet" aria-label={t("chat.conversations")} onPress={() => setListOpen(true)}>
              <MessagesSquare size={16} />
            </Button>
            <Button kind="quiet" aria-label={t("chat.new")} onPress={start}>
              <Plus size={16} />
            </Button>
          </span>
        </div>
        {id !== null && conversation === null ? (
          <EmptyState text={t("error.not_found")} action={<Button onPress={start}>{t("chat.new")}</Button>} />
        ) : (
          <ConversationView
            key={id ?? "new"}
            store={store}
            conversation={conversation}
            mayUseTools={hasAgent}
            attached={attached}
            onAsked={(asked) => asked !== id && navigate(`/chat/${asked}`)}
          />
        )}
      </div>
      <Modal title={t("chat.conversations")} isOpen={isListOpen} onClose={() => setListOpen(false)}>
        {list}
      </Modal>
    </div>
  );
}

/** The document that a link asks about: `/chat?document=obj_…`. */
function useAttached() {
  const [filters] = useFilters();
  const id = filters.document ?? "";
  const found = useQuery({
    queryKey: ["attached", id],
    queryFn: () => dataOf(api.GET("/api/repo-obj/{id}", { params: { path: { id } } })),
    enabled: id !== "",
    select: ({ id: objectId, key }) => ({ id: objectId, name: key }),
  });
  return found.data ?? null;
}
