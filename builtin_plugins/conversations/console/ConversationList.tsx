import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Pin } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { Link, useLocation } from "wouter";

import { api, authorizedFetch, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { problemOf } from "@guildhall/console/api/problem";
import { useHall } from "@guildhall/console/hall";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { ActionMenu } from "@guildhall/console/ui/ActionMenu";
import { Button } from "@guildhall/console/ui/Button";
import { downloadText } from "@guildhall/console/ui/download";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { TextField } from "@guildhall/console/ui/TextField";
import type { Head } from "./conversation";
import styles from "./ConversationList.module.css";
import { Folders, useFolders } from "./Folders";
import { ShareConversation } from "./ShareConversation";
import { TakeOver } from "./TakeOver";
import { useSending } from "./useSending";

export interface ConversationListProps {
  openId: string | null;
  onGo?: () => void;
  /** The one that is open was changed here. */
  onChanged: () => void;
}

export const ALL = "all";
export const SHARED = "shared";
const PAGE = 50;

export function ConversationList({ openId, onGo, onChanged }: ConversationListProps) {
  const t = useText();
  const { user, team } = useIdentity();
  const [words, setWords] = useState("");
  const [where, setWhere] = useState(ALL);
  const q = useDeferredValue(words.trim());
  useLive("/api/conversations", ["conversations"]);
  const found = useInfiniteQuery({
    queryKey: ["conversations", team.id, where, q],
    queryFn: async ({ pageParam }) => {
      const filter = where === SHARED ? { shared: "1" as const } : where === ALL ? {} : { folder: where };
      const query = { limit: PAGE, ...filter, ...(q && { q }), ...(pageParam && { cursor: pageParam }) };
      return (await dataOf(api.GET("/api/conversations", { params: { query } }))) as unknown as { items: Head[]; next_cursor: string | null };
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });
  const conversations = found.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <TextField label={t("chat.search")} type="search" value={words} onChange={setWords} />
      <Folders where={where} onChange={setWhere} />
      {found.isPending ? (
        <SkeletonRows />
      ) : found.isError ? (
        <ProblemNotice problem={found.error} onRetry={() => void found.refetch()} />
      ) : conversations.length === 0 ? (
        <p className={styles.none}>{t(q ? "chat.none_found" : "chat.none_yet")}</p>
      ) : (
        <ul className={styles.list} aria-label={t("chat.conversations")}>
          {conversations.map((conversation) => (
            <Item key={conversation.id} conversation={conversation} isOpen={conversation.id === openId} onGo={onGo} onChanged={onChanged} />
          ))}
        </ul>
      )}
      {found.hasNextPage && <Button onPress={() => void found.fetchNextPage()}>{t("action.show_more")}</Button>}
      <TakeOver owner={`${user.id}.${team.id}`} />
    </>
  );
}

type Dialog = "rename" | "move" | "share" | null;

function Item({ conversation, isOpen, onGo, onChanged }: { conversation: Head; isOpen: boolean; onGo: (() => void) | undefined; onChanged: () => void }) {
  const t = useText();
  const hall = useHall();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [dialog, setDialog] = useState<Dialog>(null);
  const { id, pinned, permissions } = conversation;
  const title = conversation.title || t("chat.new");
  const path = { id };
  const isOwn = permissions.includes("manage");
  async function change(body: { title?: string; pinned?: boolean; folder_id?: string | null }) {
    await api.PATCH("/api/conversations/{id}", { params: { path }, body });
    setDialog(null);
    await client.invalidateQueries({ queryKey: ["conversations"] });
    if (isOpen) onChanged();
  }
  async function remove() {
    if (!(await hall.confirm({ title: t("chat.delete_title", { title }), text: t("chat.delete_text"), action: t("action.delete"), isDangerous: true }))) return;
    await api.DELETE("/api/conversations/{id}", { params: { path } });
    if (isOpen) navigate("/chat");
    await client.invalidateQueries({ queryKey: ["conversations"] });
    hall.toast(t("chat.deleted"));
  }
  async function save(format: "md" | "json") {
    const response = await authorizedFetch(new Request(`/api/conversations/${id}/export?format=${format}`));
    if (!response.ok) throw await problemOf(response);
    downloadText(`${id}.${format}`, await response.text(), format === "md" ? "text/markdown" : "application/json");
  }
  /** What is refused is said in a word of its own: there is no form to say it in. */
  const attempt = (work: () => Promise<unknown>) => () => void work().catch((cause: unknown) => hall.toast(cause instanceof Error ? cause.message : String(cause)));
  const acts = [
    ...(permissions.includes("edit") ? [{ id: "rename", name: t("action.rename"), onAction: () => setDialog("rename") }] : []),
    ...(isOwn
      ? [
          { id: "pin", name: t(pinned ? "chat.unpin" : "chat.pin"), onAction: attempt(() => change({ pinned: !pinned })) },
          { id: "move", name: t("chat.move"), onAction: () => setDialog("move") },
          { id: "share", name: t("action.share"), onAction: () => setDialog("share") },
        ]
      : []),
    { id: "md", name: t("chat.export_md"), onAction: attempt(() => save("md")) },
    { id: "json", name: t("chat.export_json"), onAction: attempt(() => save("json")) },
    ...(isOwn ? [{ id: "delete", name: t("action.delete"), isDangerous: true, onAction: attempt(remove) }] : []),
  ];
  return (
    <li className={styles.item} data-open={isOpen ? "" : undefined}>
      <Link href={`/chat/${id}`} className={styles.link} dir="auto" title={title} aria-current={isOpen ? "page" : undefined} onClick={() => onGo?.()}>
        {pinned && <Pin size={12} aria-label={t("chat.pinned")} />} {title}
      </Link>
      <span className={styles.acts}>
        <ActionMenu of={title} actions={acts} />
      </span>
      <Modal title={t("chat.rename")} isOpen={dialog === "rename"} onClose={() => setDialog(null)}>
        <RenameForm title={conversation.title} onClose={() => setDialog(null)} onRename={(name) => change({ title: name })} />
      </Modal>
      <Modal title={t("chat.move")} isOpen={dialog === "move"} onClose={() => setDialog(null)}>
        <MoveForm folder={conversation.folder_id} onClose={() => setDialog(null)} onMove={(folder) => change({ folder_id: folder })} />
      </Modal>
      {dialog === "share" && <ShareConversation conversation={conversation} onClose={() => setDialog(null)} />}
    </li>
  );
}

function RenameForm({ title, onClose, onRename }: { title: string; onClose: () => void; onRename: (title: string) => Promise<void> }) {
  const t = useText();
  const [name, setName] = useState(title);
  const { problem, send, faultAt } = useSending();
  return (
    <Form name="rename-conversation" onSubmit={() => void send(() => onRename(name.trim()))}>
      {problem !== null && <ProblemNotice problem={problem} />}
      <TextField label={t("list.name")} isRequired value={name} onChange={setName} maxLength={200} autoFocus {...faultAt("/title")} />
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

const NOWHERE = "none";

function MoveForm({ folder, onClose, onMove }: { folder: string | null; onClose: () => void; onMove: (folder: string | null) => Promise<void> }) {
  const t = useText();
  const folders = useFolders();
  const [chosen, setChosen] = useState(folder ?? NOWHERE);
  const options = [{ id: NOWHERE, name: t("chat.no_folder") }, ...(folders.data ?? [])];
  const { problem, send, faultAt } = useSending();
  return (
    <Form name="move-conversation" onSubmit={() => void send(() => onMove(chosen === NOWHERE ? null : chosen))}>
      {problem !== null && <ProblemNotice problem={problem} />}
      <Select label={t("chat.folder")} options={options} value={chosen} onChange={setChosen} {...faultAt("/folder_id")} />
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          {t("action.cancel")}
        </Button>
        <Button kind="primary" type="submit">
          {t("chat.move")}
        </Button>
      </Actions>
    </Form>
  );
}
