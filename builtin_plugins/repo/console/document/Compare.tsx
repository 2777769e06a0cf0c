import { useText } from "@guildhall/console/i18n/texts";
import { Difference } from "@guildhall/console/ui/Difference";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import type { Filters } from "@guildhall/console/ui/query";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import type { StoredObject } from "../objects";
import { isText, MAX_TEXT_BYTES } from "@guildhall/console/ui/sizes";
import { useVersionText } from "../preview/content";
import styles from "./Document.module.css";

/** What changed between any two versions that are texts. */
export function Compare({ object, filters, onChange }: { object: StoredObject; filters: Filters; onChange: (change: Filters) => void }) {
  const t = useText();
  const texts = object.versions.filter(({ content_type, size }) => isText(content_type) && size <= MAX_TEXT_BYTES);
  const numbers = texts.map(({ version }) => version);
  const to = numbers.find((one) => one === Number(filters["to"])) ?? numbers[0];
  const from = numbers.find((one) => one === Number(filters["from"])) ?? numbers.find((one) => one < (to ?? 0)) ?? to;
  const before = useVersionText(object.id, from ?? 0, from !== undefined);
  const after = useVersionText(object.id, to ?? 0, to !== undefined);
  if (from === undefined || to === undefined || numbers.length < 2) return <EmptyState text={t("files.nothing_to_compare")} />;
  const options = numbers.map((one) => ({ id: String(one), name: t("files.version_number", { number: one }) }));
  const failed = [before, after].find(({ isError }) => isError);
  return (
    <>
      <div className={styles.pick}>
        <Select label={t("files.compare_from")} value={String(from)} onChange={(one) => onChange({ from: one })} options={options} />
        <Select label={t("files.compare_to")} value={String(to)} onChange={(one) => onChange({ to: one })} options={options} />
      </div>
      {failed ? (
        <ProblemNotice problem={failed.error} onRetry={() => void failed.refetch()} />
      ) : before.data === undefined || after.data === undefined ? (
        <SkeletonRows />
      ) : (
        <Difference
          before={before.data}
          after={after.data}
          beforeName={t("files.version_number", { number: from })}
          afterName={t("files.version_number", { number: to })}
        />
      )}
    </>
  );
}
