import { useTexts } from "@guildhall/console/i18n/texts";
import { api, dataOf } from "@guildhall/console/api/client";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Panel } from "@guildhall/console/ui/Panel";
import { usePages } from "@guildhall/console/ui/usePages";
import styles from "./Usage.module.css";

const DAYS = 30;
const DAY_MS = 86_400_000;

/** How much each team used lately: as bars, with the figures that they are drawn from. */
export function UsageByTeam() {
  const { t, locale } = useTexts();
  const from = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS).toISOString();
  const teams = usePages(["usage", "teams", from], (cursor) => dataOf(api.GET("/api/org/usage", { params: { query: { ...cursor, from } } })));
  const number = new Intl.NumberFormat(locale);
  const most = Math.max(1, ...(teams.data?.pages.flatMap(({ items }) => items.map(({ tokens }) => tokens)) ?? []));
  return (
    <Panel title={t("usage.by_team")}>
      <PagedTable
        label={t("usage.by_team")}
        pages={teams}
        idOf={({ id }) => id}
        empty={{ text: t("usage.nothing_yet") }}
        columns={[
          { id: "name", name: t("list.name"), cell: ({ name }) => <bdi>{name}</bdi> },
          { id: "requests", name: t("usage.ai_requests"), isFigure: true, cell: ({ requests }) => number.format(requests) },
          { id: "tokens", name: t("usage.ai_tokens"), isFigure: true, cell: ({ tokens }) => number.format(tokens) },
          {
            id: "share",
            name: t("usage.share"),
            isSecondary: true,
            cell: ({ tokens }) => (
              <span className={styles.share} aria-hidden="true">
                <span className={styles.bar} style={{ width: `${(tokens / most) * 100}%` }} />
              </span>
            ),
          },
        ]}
      />
    </Panel>
  );
}
