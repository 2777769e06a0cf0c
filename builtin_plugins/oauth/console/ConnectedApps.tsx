import { useQueryClient } from "@tanstack/react-query";
import { Unplug } from "lucide-react";
import { useState } from "react";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { usePermissionWords } from "@guildhall/console/people/permissions";
import { useMay } from "@guildhall/console/session/identity";
import cells from "@guildhall/console/ui/Cells.module.css";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Panel } from "@guildhall/console/ui/Panel";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Select } from "@guildhall/console/ui/Select";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";

interface App {
  id: string;
  name: string;
  scope: string[];
  user: { id: string; username: string };
  team: { id: string; name: string };
  created_at: string;
  last_used_at: string | null;
}

interface Page {
  items: App[];
  next_cursor: string | null;
}

const PATH = "/api/connected-apps";
/** Whose are listed, by what the row is asked with. */
const QUERIES = { mine: {}, everybody: { everybody: "1" }, company: { company: "1" } };
type Whose = keyof typeof QUERIES;

/** Programs of others that act for oneself, or for who manages the team or the company for anybody in it. */
export default function ConnectedApps() {
  const t = useText();
  const words = usePermissionWords();
  const client = useQueryClient();
  const announce = useAnnounce();
  const may = useMay();
  const [whose, setWhose] = useState<Whose>("mine");
  const [ending, setEnding] = useState<App | null>(null);
  const pages = usePages(["connected-apps", whose], async (cursor) => {
    const query = new URLSearchParams({ ...cursor, ...QUERIES[whose] }).toString();
    return (await callRow({ method: "GET", path: `${PATH}?${query}` })) as Page;
  });
  const options = [
    { id: "mine", name: t("oauth.mine") },
    ...(may("settings:manage") ? [{ id: "everybody", name: t("oauth.everybody") }] : []),
    ...(may("org:manage") ? [{ id: "company", name: t("oauth.company") }] : []),
  ];
  const choice = options.length > 1 && (
    <Select label={t("oauth.whose")} isLabelHidden options={options} value={whose} onChange={(id) => setWhose(id as Whose)} />
  );
  return (
    <Panel title={t("oauth.title")} actions={choice}>
      <p>{t("oauth.about")}</p>
      <PagedTable
        label={t("oauth.title")}
        pages={pages}
        idOf={({ id }) => id}
        empty={{ text: t(whose === "mine" ? "oauth.none" : "oauth.none_there") }}
        columns={[
          { id: "name", name: t("oauth.name"), cell: ({ name }) => <bdi className={cells.strong}>{name}</bdi> },
          { id: "user", name: t("oauth.person"), isSecondary: true, cell: ({ user }) => <bdi>{user.username}</bdi> },
          ...(whose === "company" ? [{ id: "team", name: t("oauth.team"), isSecondary: true, cell: ({ team }: App) => <bdi>{team.name}</bdi> }] : []),
          { id: "may", name: t("oauth.may"), isSecondary: true, cell: ({ scope }) => scope.map(words).join(", ") },
          { id: "made", name: t("oauth.connected"), isSecondary: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { id: "used", name: t("oauth.last_used"), cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : t("state.never")) },
        ]}
        actions={(app) => <RowAction icon={Unplug} name={t("oauth.disconnect")} of={app.name} onPress={() => setEnding(app)} />}
      />
      {ending && (
        <Revoke
          text={t("oauth.disconnect_text", { name: ending.name })}
          action={t("oauth.disconnect")}
          onClose={() => setEnding(null)}
          onRevoke={async () => {
            await callRow({ method: "DELETE", path: `${PATH}/${ending.id}${whose === "company" ? "?company=1" : ""}` });
            announce(t("oauth.disconnected", { name: ending.name }));
            void client.invalidateQueries({ queryKey: ["connected-apps"] });
          }}
        />
      )}
    </Panel>
  );
}
