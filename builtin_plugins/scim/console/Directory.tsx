import { useQueryClient } from "@tanstack/react-query";
import { Ban, Plus } from "lucide-react";
import { useState } from "react";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import cells from "@guildhall/console/ui/Cells.module.css";
import { SectionHead } from "@guildhall/console/ui/PageHead";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Facts } from "@guildhall/console/ui/Panel";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import { NewToken } from "./NewToken";

interface Token {
  id: string;
  name: string | null;
  prefix: string | null;
  user: { username: string };
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
}

interface Page {
  items: Token[];
  next_cursor: string | null;
}

const PATH = "/api/org/scim-tokens";
const KEY = ["scim-tokens"];
const nameOf = ({ id, name }: Token) => name ?? id;

/** What a directory of the company is told, and the tokens that were made for one. */
export default function Directory() {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const [isMaking, setMaking] = useState(false);
  const [ending, setEnding] = useState<Token | null>(null);
  const pages = usePages(KEY, async (cursor) => {
    const query = new URLSearchParams({ ...cursor }).toString();
    return (await callRow({ method: "GET", path: `${PATH}?${query}` })) as Page;
  });
  const refetch = () => void client.invalidateQueries({ queryKey: KEY });
  const make = (
    <Button kind="primary" onPress={() => setMaking(true)}>
      <Plus size={16} aria-hidden="true" />
      {t("scim.new")}
    </Button>
  );
  return (
    <>
      <SectionHead title={t("scim.title")}>{make}</SectionHead>
      <p>{t("scim.about")}</p>
      <Facts facts={[[t("scim.address"), <bdi key="address">{`${location.origin}/scim/v2`}</bdi>]]} />
      <PagedTable
        label={t("scim.title")}
        pages={pages}
        idOf={({ id }) => id}
        empty={{ text: t("scim.none"), action: make }}
        columns={[
          { id: "name", name: t("tokens.name"), cell: (token) => <bdi className={cells.strong}>{nameOf(token)}</bdi> },
          { id: "prefix", name: t("scim.prefix"), isSecondary: true, cell: ({ prefix }) => prefix && <code>{prefix}</code> },
          { id: "user", name: t("list.owner"), isSecondary: true, cell: ({ user }) => <bdi>{user.username}</bdi> },
          { id: "made", name: t("list.created"), isSecondary: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { id: "used", name: t("tokens.last_used"), cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : t("state.never")) },
          { id: "ends", name: t("tokens.ends"), isSecondary: true, cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : t("state.never")) },
        ]}
        actions={(token) => <RowAction icon={Ban} name={t("action.revoke")} of={nameOf(token)} onPress={() => setEnding(token)} />}
      />
      {isMaking && <NewToken onClose={() => setMaking(false)} onMade={refetch} />}
      {ending && (
        <Revoke
          text={t("tokens.revoke_confirm", { name: nameOf(ending) })}
          onClose={() => setEnding(null)}
          onRevoke={async () => {
            await callRow({ method: "DELETE", path: `${PATH}/${ending.id}` });
            announce(t("tokens.revoked", { name: nameOf(ending) }));
            refetch();
          }}
        />
      )}
    </>
  );
}
