import { useTexts } from "@guildhall/console/i18n/texts";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { Time } from "@guildhall/console/ui/Time";
import type { StoredObject } from "../objects";
import { formatSize } from "@guildhall/console/ui/sizes";
import { TextMark } from "../TextMark";
import styles from "./Document.module.css";
import { useS3 } from "./LinkDialog";

/** What is known of an object; what others will be asked for can be copied. */
export function Details({ object, isOurs }: { object: StoredObject; isOurs: boolean }) {
  const { t, locale } = useTexts();
  const s3 = useS3();
  const copied = (name: string, text: string) => (
    <span className={styles.copied}>
      <code dir="auto" title={text}>
        {text}
      </code>
      <CopyButton text={text} name={name} />
    </span>
  );
  const facts: [string, React.ReactNode][] = [
    [t("list.owner"), <bdi key="owner">{object.owner.name}</bdi>],
    [t("visibility.label"), t(`visibility.${object.visibility}`)],
    [t("files.column_size"), formatSize(object.size, locale)],
    [t("list.type"), object.content_type],
    [t("files.column_text"), <TextMark key="text" status={object.text_status} />],
    [t("list.updated"), <Time key="updated" at={object.updated_at} />],
    [t("list.created"), <Time key="created" at={object.created_at} />],
    [t("files.key"), copied(t("files.key"), object.key)],
    [t("files.id"), copied(t("files.id"), object.id)],
    ["SHA-256", copied("SHA-256", object.sha256)],
  ];
  if (isOurs && s3.data) facts.push([t("files.s3_address"), copied(t("files.s3_address"), `s3://${s3.data.bucket}/${object.key}`)]);
  return (
    <Panel title={t("files.details")}>
      <Facts facts={facts} />
    </Panel>
  );
}
