import { useQueryClient } from "@tanstack/react-query";
import { PencilLine, Trash2 } from "lucide-react";
import { useState } from "react";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { canUsePasskeys, createPasskey } from "@guildhall/console/session/passkey";
import { Button } from "@guildhall/console/ui/Button";
import cells from "@guildhall/console/ui/Cells.module.css";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Panel } from "@guildhall/console/ui/Panel";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import { NameDialog } from "./NameDialog";

interface Passkey {
  id: string;
  name: string;
  signs_in: boolean;
  created_at: string;
  last_used_at: string | null;
}

interface Page {
  items: Passkey[];
  next_cursor: string | null;
}

const PATH = "/api/passkeys";

/** One's own passkeys: added, named and taken away. */
export default function Passkeys() {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const [isAdding, setAdding] = useState(false);
  const [naming, setNaming] = useState<Passkey | null>(null);
  const [ending, setEnding] = useState<Passkey | null>(null);
  const pages = usePages(["passkeys"], async (cursor) => {
    const query = new URLSearchParams({ ...cursor }).toString();
    return (await callRow({ method: "GET", path: `${PATH}?${query}` })) as Page;
  });
  const done = (text: string) => {
    announce(text);
    void client.invalidateQueries({ queryKey: ["passkeys"] });
  };
  async function add(name: string) {
    const options = await callRow({ method: "POST", path: `${PATH}/options`, body: {} });
    await callRow({ method: "POST", path: `${PATH}/register`, body: { name, credential: await createPasskey(options) } });
    done(t("passkeys.added", { name }));
  }
  const canAdd = canUsePasskeys();
  return (
    <Panel
      title={t("passkeys.title")}
      actions={
        canAdd && (
          <Button kind="primary" onPress={() => setAdding(true)}>
            {t("passkeys.add")}
          </Button>
        )
      }
    >
      <p>{t("passkeys.about")}</p>
      {!canAdd && <p>{t("passkeys.unsupported")}</p>}
      <PagedTable
        label={t("passkeys.title")}
        pages={pages}
        idOf={({ id }) => id}
        empty={{ text: t("passkeys.none") }}
        columns={[
          { id: "name", name: t("passkeys.name"), cell: ({ name }) => <bdi className={cells.strong}>{name}</bdi> },
          { id: "what", name: t("passkeys.what"), isSecondary: true, cell: ({ signs_in }) => t(signs_in ? "passkeys.signs_in" : "passkeys.only_second") },
          { id: "made", name: t("list.created"), isSecondary: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { id: "used", name: t("passkeys.last_used"), cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : t("state.never")) },
        ]}
        actions={(one) => (
          <>
            <RowAction icon={PencilLine} name={t("passkeys.rename")} of={one.name} onPress={() => setNaming(one)} />
            <RowAction icon={Trash2} name={t("passkeys.remove")} of={one.name} onPress={() => setEnding(one)} />
          </>
        )}
      />
      {isAdding && <NameDialog title={t("passkeys.add")} name="" onClose={() => setAdding(false)} onName={add} />}
      {naming && (
        <NameDialog
          title={t("passkeys.rename")}
          name={naming.name}
          onClose={() => setNaming(null)}
          onName={async (name) => {
            await callRow({ method: "PATCH", path: `${PATH}/${naming.id}`, body: { name } });
            done(t("passkeys.renamed"));
          }}
        />
      )}
      {ending && (
        <Revoke
          text={t("passkeys.remove_text", { name: ending.name })}
          action={t("passkeys.remove")}
          onClose={() => setEnding(null)}
          onRevoke={async () => {
            await callRow({ method: "DELETE", path: `${PATH}/${ending.id}` });
            done(t("passkeys.removed", { name: ending.name }));
          }}
        />
      )}
    </Panel>
  );
}
