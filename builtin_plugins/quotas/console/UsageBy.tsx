import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { downloadText } from "@guildhall/console/ui/download";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { Select } from "@guildhall/console/ui/Select";
import { usePages } from "@guildhall/console/ui/usePages";
import { linesOf } from "@guildhall/console/ui/quotas";
import { UsageTable } from "./UsageTable";
import { loadUsage, loadUsageTable } from "./usageQueries";
import styles from "./Usage.module.css";

const BYS = ["model", "user", "token"] as const;
const NAMES = { model: "usage.by_model", user: "usage.by_person", token: "usage.by_token" };
const KINDS: Record<string, string> = { session: "usage.in_the_console" };

interface NameProps {
  by: (typeof BYS)[number];
  id: string;
  name: string;
  onPerson: () => void;
}

/** A person's name leads to their days. */
function Name({ by, id, name, onPerson }: NameProps) {
  const t = useText();
  if (by === "token" && KINDS[id]) return <bdi>{t(KINDS[id])}</bdi>;
  if (by !== "user") return <bdi>{name}</bdi>;
  return (
    <button type="button" className={styles.person} onClick={onPerson}>
      <bdi>{name}</bdi>
    </button>
  );
}

/** Who used how much, and by what; the grouping stands in the address. */
export function UsageBy() {
  const t = useText();
  const may = useMay();
  const [filters, change] = useFilters();
  const by = BYS.find((one) => one === filters.by) ?? "model";
  const lines = usePages(["usage", "by", by], async (cursor) => {
    const page = await loadUsage({ by, ...cursor });
    return { items: linesOf(page.items), next_cursor: page.next_cursor };
  });
  const save = useMutation({
    mutationFn: async () => downloadText("usage.csv", await loadUsageTable({ by }), "text/csv"),
  });
  return (
    <Panel title={t("usage.who")}>
      <div className={styles.tools}>
        <Select label={t("usage.group")} options={BYS.map((id) => ({ id, name: t(NAMES[id]) }))} value={by} onChange={(id) => change({ by: id })} />
        <Button isPending={save.isPending} onPress={() => save.mutate()}>
          <Download size={16} aria-hidden="true" />
          {t("action.export_csv")}
        </Button>
      </div>
      {by !== "model" && !may("settings:manage") && <p className={styles.note}>{t("usage.own_only")}</p>}
      {save.isError && <ProblemNotice problem={save.error} />}
      <UsageTable
        label={t(NAMES[by])}
        pages={lines}
        nameOf={({ id, name }) => <Name by={by} id={id} name={name} onPerson={() => change({ user: id, name })} />}
      />
    </Panel>
  );
}
