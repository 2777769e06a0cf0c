import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import styles from "./ConversationList.module.css";
import { deviceConversations, forgetOnDevice } from "./deviceStorage";

/** Conversations that this device alone has: taken over to the server, or deleted, as somebody says. */
export function TakeOver({ owner }: { owner: string }) {
  const t = useText();
  const client = useQueryClient();
  const [kept, setKept] = useState(() => deviceConversations(owner));
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  if (kept.length === 0) return null;
  async function takeOver() {
    setBusy(true);
    setProblem(null);
    try {
      for (const { key, title, messages } of kept) {
        await api.POST("/api/conversations", { body: { title, messages } });
        forgetOnDevice(key);
      }
    } catch (cause) {
      setProblem(cause);
    }
    setBusy(false);
    setKept(deviceConversations(owner));
    await client.invalidateQueries({ queryKey: ["conversations"] });
  }
  function forget() {
    kept.forEach(({ key }) => forgetOnDevice(key));
    setKept([]);
  }
  return (
    <div className={styles.device} role="group" aria-label={t("chat.on_device")}>
      <p>{t("chat.on_device_text", { count: kept.length })}</p>
      {problem !== null && <ProblemNotice problem={problem} />}
      <Button isDisabled={isBusy} onPress={() => void takeOver()}>
        {t("chat.take_over")}
      </Button>
      <Button kind="quiet" isDisabled={isBusy} onPress={forget}>
        {t("chat.forget_device")}
      </Button>
    </div>
  );
}
