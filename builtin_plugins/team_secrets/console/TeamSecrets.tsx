import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { TextField } from "@guildhall/console/ui/TextField";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";

/** The keys of other services that the team stores, by name; what they hold is shown to nobody. */
export function TeamSecrets() {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  // The name of the one that is given a value; the new one has none yet.
  const [edited, setEdited] = useState<string | null>(null);
  const [leaving, setLeaving] = useState<string | null>(null);
  const secrets = usePages(["team-secrets"], () => dataOf(api.GET("/api/team-secrets")));
  const refetch = () => void client.invalidateQueries({ queryKey: ["team-secrets"] });
  const add = (
    <Button kind="primary" onPress={() => setEdited("")}>
      <Plus size={16} aria-hidden="true" />
      {t("teamsecrets.new")}
    </Button>
  );
  return (
    <>
      <PageHead title={t("nav.team_secrets")} text={t("teamsecrets.about")}>
        {add}
      </PageHead>
      <PagedTable
        label={t("nav.team_secrets")}
        pages={secrets}
        idOf={({ name }) => name}
        empty={{ text: t("teamsecrets.none"), action: add }}
        columns={[
          { id: "name", name: t("list.name"), cell: ({ name }) => <bdi>{name}</bdi> },
          { id: "updated", name: t("list.updated"), cell: ({ updated_at }) => <Time at={updated_at} /> },
        ]}
        actions={({ name }) => (
          <>
            <RowAction icon={Pencil} name={t("teamsecrets.replace")} of={name} onPress={() => setEdited(name)} />
            <RowAction icon={Trash2} name={t("action.delete")} of={name} onPress={() => setLeaving(name)} />
          </>
        )}
      />
      {edited !== null && <PutSecret name={edited} onClose={() => setEdited(null)} onDone={refetch} />}
      {leaving && (
        <Revoke
          text={t("teamsecrets.delete_confirm", { name: leaving })}
          action={t("action.delete")}
          onClose={() => setLeaving(null)}
          onRevoke={async () => {
            await api.DELETE("/api/team-secrets/{name}", { params: { path: { name: leaving } } });
            announce(t("teamsecrets.deleted", { name: leaving }));
            refetch();
          }}
        />
      )}
    </>
  );
}

/** Gives a secret a value, a new one a name as well. */
function PutSecret({ name: first, onClose, onDone }: { name: string; onClose: () => void; onDone: () => void }) {
  const t = useText();
  const announce = useAnnounce();
  const [name, setName] = useState(first);
  const [value, setValue] = useState("");
  const put = useMutation({
    mutationFn: () => dataOf(api.PUT("/api/team-secrets/{name}", { params: { path: { name: name.trim() } }, body: { value } })),
    onSuccess: () => {
      announce(t("state.saved"));
      onDone();
      onClose();
    },
  });
  const fault = (pointer: string) => (put.error instanceof Problem ? put.error.at(pointer) : undefined);
  return (
    <FormDialog title={first ? t("teamsecrets.replace_named", { name: first }) : t("teamsecrets.new")} name="team-secret" submit={t("action.save")} sending={put} onClose={onClose}>
      {!first && <TextField label={t("list.name")} help={t("teamsecrets.name_help")} value={name} onChange={setName} isRequired autoFocus fault={fault("/name")} />}
      <TextField
        label={t("teamsecrets.value")}
        help={t("teamsecrets.value_help")}
        type="password"
        autoComplete="off"
        value={value}
        onChange={setValue}
        isRequired
        autoFocus={first !== ""}
        fault={fault("/value")}
      />
    </FormDialog>
  );
}
