import type { ReactNode } from "react";
import { Link } from "wouter";

import { useTexts } from "@guildhall/console/i18n/texts";
import { useScreens, useShows } from "@guildhall/console/screens/shown";
import { useActionWords } from "./actionWords";
import { Button } from "@guildhall/console/ui/Button";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { Facts } from "@guildhall/console/ui/Panel";
import { Table } from "@guildhall/console/ui/Table";
import type { AuditEvent } from "./auditEvents";
import styles from "./Audit.module.css";
import { changesOf, factsOf, fieldsOf, fieldWords, type Change } from "./changed";
import { useValueWords } from "./valueWords";

interface AuditEventDialogProps {
  event: AuditEvent;
  nameOf: (id: string) => string | undefined;
  onClose: () => void;
  onTarget: (id: string) => void;
}

/** One event whole: what it changed from what to what, and about what; every id can be copied. */
export function AuditEventDialog({ event, nameOf, onClose, onTarget }: AuditEventDialogProps) {
  const { t, locale } = useTexts();
  const actionWords = useActionWords();
  const valueWords = useValueWords(nameOf);
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" }).format(new Date(event.at));
  const id = (name: string, value: string | null): [string, ReactNode][] => (value ? [[name, <Id key={name} name={name} value={value} />]] : []);
  const changes = changesOf(event);
  const fields = fieldsOf(event);
  const { type, id: target } = event.target;
  const about = target ? nameOf(target) : undefined;
  const path = usePathOf(type, target);
  return (
    <Modal title={actionWords(event.action)} isOpen onClose={onClose}>
      {changes.length > 0 && (
        <Table<Change>
          label={t("audit.changed")}
          items={changes}
          idOf={({ field }) => field}
          columns={[
            ...(changes.some(({ field }) => field) ? [{ id: "field", name: t("audit.field"), cell: ({ field }: Change) => fieldWords(field) }] : []),
            { id: "before", name: t("audit.before"), cell: ({ before }) => <del className={styles.value}>{valueWords(before)}</del> },
            { id: "after", name: t("audit.after"), cell: ({ after }) => <ins className={styles.value}>{valueWords(after)}</ins> },
          ]}
        />
      )}
      {fields.length > 0 && <p className={styles.text}>{t("audit.fields", { fields: fields.map(fieldWords).join(", ") })}</p>}
      <Facts
        facts={[
          [t("audit.who"), <bdi key="who">{nameOf(event.actor.id ?? "") ?? event.actor.name}</bdi>],
          [t("audit.when"), exact],
          ...(about ? ([[t("audit.target"), <bdi key="about">{about}</bdi>]] as const) : []),
          ...factsOf(event).map(([name, value]): [string, ReactNode] => [fieldWords(name), <bdi key={name}>{valueWords(value)}</bdi>]),
          [t("audit.what"), <code key="what">{event.action}</code>],
          ...id(type ? fieldWords(type) : t("audit.target"), target),
          ...id(t("audit.request"), event.request_id),
          ...id(t("audit.event"), event.id),
        ]}
      />
      <Actions>
        {path && <Link href={path}>{t("audit.open_target")}</Link>}
        {target && <Button onPress={() => onTarget(target)}>{t("audit.all_of_target")}</Button>}
        <Button onPress={onClose}>{t("action.close")}</Button>
      </Actions>
    </Modal>
  );
}

/** Where such a thing is shown to this person, if anywhere. */
function usePathOf(type: string | null, id: string | null): string | null {
  const { shown } = useScreens();
  const shows = useShows();
  if (!type || !id) return null;
  const opening = shown.find(({ opens }) => opens.includes(type));
  if (opening) return `${opening.path}/${encodeURIComponent(id)}`;
  const listed = `/${type}s`;
  return ["run", "job", "trigger"].includes(type) && shows(listed) ? `${listed}/${encodeURIComponent(id)}` : null;
}

function Id({ name, value }: { name: string; value: string }) {
  return (
    <span className={styles.copied}>
      <code>{value}</code>
      <CopyButton text={value} name={name} />
    </span>
  );
}
