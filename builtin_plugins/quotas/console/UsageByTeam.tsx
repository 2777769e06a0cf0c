import { useText } from "@guildhall/console/i18n/texts";
import { api, dataOf } from "@guildhall/console/api/client";
import { Panel } from "@guildhall/console/ui/Panel";
import { usePages } from "@guildhall/console/ui/usePages";
import { UsageTable } from "./UsageTable";

const DAYS = 30;
const DAY_MS = 86_400_000;

/** How much each team used lately: as bars, with the figures that they are drawn from. */
export function UsageByTeam() {
  const t = useText();
  const from = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS).toISOString();
  const teams = usePages(["usage", "teams", from], (cursor) => dataOf(api.GET("/api/org/usage", { params: { query: { ...cursor, from } } })));
  return (
    <Panel title={t("usage.by_team")}>
      <UsageTable label={t("usage.by_team")} pages={teams} nameOf={({ name }) => <bdi>{name}</bdi>} />
    </Panel>
  );
}
