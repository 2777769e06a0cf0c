import { useQuery } from "@tanstack/react-query";
import { Info } from "lucide-react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import styles from "./ModelNote.module.css";

/** What this place is for, and that the model is a simulated one, where it is. */
export function ModelNote({ isNew }: { isNew: boolean }) {
  const t = useText();
  const { operator } = useIdentity();
  const model = useQuery({ queryKey: ["model"], queryFn: () => dataOf(api.GET("/api/ai/model")) });
  if (!isNew && !model.data?.simulated) return null;
  return (
    <>
      {isNew && <p className={styles.empty}>{t("chat.empty")}</p>}
      {model.data?.simulated && (
        <div className={styles.note} role="note">
          <Info size={16} aria-hidden="true" />
          <div>
            <p>{t("chat.simulated")}</p>
            {operator && isNew && (
              <p className={styles.how}>
                {t("chat.connect")} <Link href="/instance/executors">{t("nav.executors")}</Link>
              </p>
            )}
          </div>
        </div>
      )}
    </>
  );
}
