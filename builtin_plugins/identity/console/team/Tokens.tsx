import { useQueryClient } from "@tanstack/react-query";
import { Ban, Plus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import { NewToken } from "./NewToken";
import { usePermissionWords } from "@guildhall/console/people/permissions";
import { Revoke } from "@guildhall/console/ui/Revoke";
import cells from "@guildhall/console/ui/Cells.module.css";

const SCOPES_SHOWN = 3;

/** The team's API tokens, whoever made them. */
export function Tokens() {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const [isMaking, setMaking] = useState(false);
  const [ending, setEnding] = useState<{ id: string; name: string } | null>(null);
  const tokens = usePages(["tokens"], (cursor) => dataOf(api.GET("/api/tokens", { params: { query: cursor } })));
  const refetch = () => void client.invalidateQueries({ queryKey: ["tokens"] });
  const make = (
    <Button kind="primary" onPress={() => setMaking(true)}>
      <Plus size={16} aria-hidden="true" />
      {t("tokens.new")}
    </Button>
  );
  return (
    <>
      <PageHead title={t("nav.tokens")} text={t("tokens.empty")}>
        {make}
      </PageHead>
      <PagedTable
        label={t("nav.tokens")}
        pages={tokens}
        idOf={({ id }) => id}
        empty={{ text: t("tokens.none"), action: make }}
        columns={[
          { id: "name", name: t("tokens.name"), cell: ({ name, id }) => <bdi className={cells.strong}>{name ?? id}</bdi> },
          { id: "scope", name: t("tokens.scope"), isSecondary: true, cell: ({ scope }) => <Scope scope={scope} /> },
          { id: "user", name: t("list.owner"), isSecondary: true, cell: ({ user }) => <bdi>{user.username}</bdi> },
          { id: "made", name: t("list.created"), isSecondary: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { id: "ends", name: t("tokens.ends"), cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : t("state.never")) },
        ]}
        actions={({ id, name }) => (
          <RowAction icon={Ban} name={t("action.revoke")} of={name ?? id} onPress={() => setEnding({ id, name: name ?? id })} />
        )}
      />
      {isMaking && <NewToken onClose={() => setMaking(false)} onMade={refetch} />}
      {ending && (
        <Revoke
          text={t("tokens.revoke_confirm", { name: ending.name })}
          onClose={() => setEnding(null)}
          onRevoke={async () => {
            await api.DELETE("/api/tokens/{id}", { params: { path: { id: ending.id } } });
            announce(t("tokens.revoked", { name: ending.name }));
            refetch();
          }}
        />
      )}
    </>
  );
}

function Scope({ scope }: { scope: string[] | null }) {
  const t = useText();
  const words = usePermissionWords();
  if (scope === null) return <>{t("tokens.scope_all")}</>;
  const more = scope.length - SCOPES_SHOWN;
  return (
    <span title={scope.join(", ")}>
      {scope.slice(0, SCOPES_SHOWN).map(words).join(", ") || t("state.none")}
      {more > 0 && ` +${more}`}
    </span>
  );
}
