import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { TextField } from "@guildhall/console/ui/TextField";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import cells from "@guildhall/console/ui/Cells.module.css";
import { DeleteTeam, RenameTeam, type Team } from "./ChangeTeam";
import { SectionHead } from "@guildhall/console/ui/PageHead";

export function Teams() {
  const t = useText();
  const may = useMay();
  const [isMaking, setMaking] = useState(false);
  const [changing, setChanging] = useState<{ team: Team; how: "rename" | "delete" } | null>(null);
  const manages = may("org:manage");
  const teams = usePages(["org-teams"], (cursor) => dataOf(api.GET("/api/org/teams", { params: { query: cursor } })));
  return (
    <>
      <SectionHead title={t("nav.teams")}>
        {manages && (
          <Button kind="primary" onPress={() => setMaking(true)}>
            <Plus size={16} aria-hidden="true" />
            {t("company.teams_new")}
          </Button>
        )}
      </SectionHead>
      <PagedTable
        label={t("nav.teams")}
        pages={teams}
        idOf={({ id }) => id}
        empty={{ text: t("company.teams_none") }}
        columns={[
          { id: "name", name: t("list.name"), cell: ({ name }) => <bdi className={cells.strong}>{name}</bdi> },
          { id: "bucket", name: t("s3.bucket"), isSecondary: true, cell: ({ slug }) => <span className={cells.code}>{slug}</span> },
          { id: "created", name: t("list.created"), cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        {...(manages && {
          actions: (team: Team) => (
            <>
              <RowAction icon={Pencil} name={t("company.team_rename")} of={team.name} onPress={() => setChanging({ team, how: "rename" })} />
              <RowAction icon={Trash2} name={t("action.delete")} of={team.name} onPress={() => setChanging({ team, how: "delete" })} />
            </>
          ),
        })}
      />
      {isMaking && <NewTeam onClose={() => setMaking(false)} />}
      {changing?.how === "rename" && <RenameTeam team={changing.team} onClose={() => setChanging(null)} />}
      {changing?.how === "delete" && <DeleteTeam team={changing.team} onClose={() => setChanging(null)} />}
    </>
  );
}

function NewTeam({ onClose }: { onClose: () => void }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const make = useMutation({
    mutationFn: () => dataOf(api.POST("/api/org/teams", { body: { name } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["org-teams"] });
      announce(t("company.team_made", { name }));
      onClose();
    },
  });
  return (
    <Modal title={t("company.teams_new")} isOpen onClose={onClose}>
      <p>{t("company.team_help")}</p>
      <Form
        name="new-team"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        {make.isError && <ProblemNotice problem={make.error} />}
        <TextField label={t("entry.team_name")} isRequired value={name} onChange={setName} fault={make.error instanceof Problem ? make.error.at("/name") : undefined} autoFocus />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="primary" type="submit" isPending={make.isPending}>
            {t("company.team_make")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
