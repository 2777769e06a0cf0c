import { useQuery } from "@tanstack/react-query";
import { MessagesSquare, Plus, Share2 } from "lucide-react";
import { useMemo, useState } from "react";
import { useLocation, useRoute } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { sourceIn } from "@guildhall/console/ui/ask";
import { Button } from "@guildhall/console/ui/Button";
import { Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import styles from "./Chat.module.css";
import { ConversationList } from "./ConversationList";
import { ConversationView } from "./ConversationView";
import { useFeature } from "./features";
import { ShareConversation } from "./ShareConversation";
import { useOpenConversation } from "./useOpenConversation";

// The first answer is drawn as soon as it comes.
void import("@guildhall/console/ui/MarkdownView");

export default function Chat() {
  const t = useText();
  const hasAgent = useFeature("agent");
  const [, params] = useRoute("/chat/:id?");
  const [, navigate] = useLocation();
  const [isListOpen, setListOpen] = useState(false);
  const [isSharing, setSharing] = useState(false);
  const attached = useAttached();
  const about = useAbout();
  const id = params?.id ?? null;
  const { open, shown } = useOpenConversation(id);
  const { head } = shown;

  const start = () => navigate("/chat");
  const list = <ConversationList openId={id} onGo={() => setListOpen(false)} onChanged={() => void open?.reload()} />;
  const title = head?.title || t("nav.chat");
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
          <h1 dir="auto" title={head?.title}>
            {title}
          </h1>
          {head?.permissions.includes("manage") && (
            <Button kind="quiet" aria-label={t("action.share")} onPress={() => setSharing(true)}>
              <Share2 size={16} />
            </Button>
          )}
          {head && !head.permissions.includes("manage") && <span className={styles.owner}>{t("chat.shared_by", { name: head.owner.name })}</span>}
          <span className={styles.narrow}>
            <Button kind="quiet" aria-label={t("chat.conversations")} onPress={() => setListOpen(true)}>
              <MessagesSquare size={16} />
            </Button>
            <Button kind="quiet" aria-label={t("chat.new")} onPress={start}>
              <Plus size={16} />
            </Button>
          </span>
        </div>
        {shown.problem !== null ? (
          <ProblemNotice problem={shown.problem} onRetry={start} />
        ) : (
          <ConversationView key={id ?? "new"} id={id} open={open} shown={shown} mayUseTools={hasAgent} attached={attached} about={about} onBegun={(begun) => navigate(`/chat/${begun}`)} />
        )}
      </div>
      <Modal title={t("chat.conversations")} isOpen={isListOpen} onClose={() => setListOpen(false)}>
        {list}
      </Modal>
      {isSharing && head && <ShareConversation conversation={head} onClose={() => setSharing(false)} />}
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

/** What a link asks about: `/chat?source=note:not_…`. */
function useAbout() {
  const [{ source }] = useFilters();
  return useMemo(() => sourceIn(source), [source]);
}
