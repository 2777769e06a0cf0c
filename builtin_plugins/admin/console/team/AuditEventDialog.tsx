import type { ReactNode } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { useActionWords } from "@guildhall/console/ui/actionWords";
import { Button } from "@guildhall/console/ui/Button";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { Facts } from "@guildhall/console/ui/Panel";
import type { AuditEvent } from "./auditEvents";
import styles from "./Team.module.css";

/** One event whole; every id can be copied. */
export function AuditEventDialog({ event, onClose }: { event: AuditEvent; onClose: () => void }) {
  const { t, locale } = useTexts();
  const actionWords = useActionWords();
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" }).format(new Date(event.at));
  const id = (name: string, value: string | null): [string, ReactNode][] => (value ? [[name, <Id key={name} name={name} value={value} />]] : []);
  const details = Object.entries(event.detail).map(([name, value]): [string, ReactNode] => [
    name,
    <bdi key={name} className={styles.code}>
      {typeof value === "string" ? value : JSON.stringify(value)}
    </bdi>,
  ]);
  return (
    <Modal title={actionWords(event.action)} isOpen onClose={onClose}>
      <Facts
        facts={[
          [
            t("audit.what"),
            <span key="what" className={styles.code}>
              {event.action}
            </span>,
          ],
          [t("audit.who"), <bdi key="who">{event.actor.name}</bdi>],
          [t("audit.when"), exact],
          ...id(event.target.type ?? t("audit.target"), event.target.id),
          ...details,
          ...id(t("audit.request"), event.request_id),
          ...id(t("audit.event"), event.id),
        ]}
      />
      <Actions>
        <Button onPress={onClose}>{t("action.close")}</Button>
      </Actions>
    </Modal>
  );
}

function Id({ name, value }: { name: string; value: string }) {
  return (
    <span className={styles.copied}>
      <span className={styles.code}>{value}</span>
      <CopyButton text={value} name={name} />
    </span>
  );
}
