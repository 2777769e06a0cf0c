import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";

export interface Team {
  id: string;
  name: string;
}

interface ChangeTeamProps {
  team: Team;
  onClose: () => void;
}

const NOWHERE = "nowhere";

export function RenameTeam({ team, onClose }: ChangeTeamProps) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [name, setName] = useState(team.name);
  const rename = useMutation({
    mutationFn: () => dataOf(api.PATCH("/api/org/teams/{id}", { params: { path: { id: team.id } }, body: { name } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["org-teams"] });
      void client.invalidateQueries({ queryKey: ["whoami"] });
      announce(t("company.team_renamed", { name }));
      onClose();
    },
  });
  return (
    <FormDialog title={t("company.team_rename")} name="rename-team" submit={t("company.team_rename")} sending={rename} onClose={onClose}>
      <TextField
        label={t("entry.team_name")}
        isRequired
        value={name}
        onChange={(typed) => {
          setName(typed);
          if (rename.isError) rename.reset();
        }}
        fault={rename.error instanceof Problem ? rename.error.at("/name") : undefined}
        autoFocus
      />
    </FormDialog>
  );
}

/** Deletes a team that is empty, or whose people and things go to another one. */
export function DeleteTeam({ team, onClose }: ChangeTeamProps) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [target, setTarget] = useState(NOWHERE);
  const teams = useQuery({
    queryKey: ["org-teams", "all"],
    queryFn: () => dataOf(api.GET("/api/org/teams", { params: { query: { limit: 200 } } })),
  });
  const remove = useMutation({
    mutationFn: () =>
      api.DELETE("/api/org/teams/{id}", { params: { path: { id: team.id } }, body: target === NOWHERE ? {} : { move_to: target } }),
    onSuccess: () => {
      void client.invalidateQueries();
      announce(t("company.team_deleted", { name: team.name }));
      onClose();
    },
  });
  const isFull = remove.error instanceof Problem && remove.error.code === "team_not_empty";
  const others = (teams.data?.items ?? []).filter(({ id }) => id !== team.id);
  return (
    <Modal title={t("company.team_delete", { name: team.name })} isOpen onClose={onClose}>
      <p>{t("company.team_delete_help")}</p>
      <Form name="delete-team" onSubmit={() => remove.mutate()}>
        {remove.isError && !isFull && <ProblemNotice problem={remove.error} />}
        <Select
          label={t("company.team_move_to")}
          options={[{ id: NOWHERE, name: t("company.team_move_nowhere") }, ...others]}
          value={target}
          onChange={(chosen) => {
            setTarget(chosen);
            if (remove.isError) remove.reset();
          }}
          {...(isFull && { fault: t("company.team_not_empty") })}
        />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="danger" type="submit" isPending={remove.isPending}>
            {t("action.delete")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
