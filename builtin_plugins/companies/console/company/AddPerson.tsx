import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { Invitation } from "@guildhall/console/people/Invitation";
import { grantableRoles } from "@guildhall/console/people/roles";
import { appointable, NO_ROLE } from "./orgRoles";

/** Adds somebody to one of the company's teams, with a role in the company too where wanted. */
export function AddPerson({ onClose, onAdded }: { onClose: () => void; onAdded: () => void }) {
  const t = useText();
  const identity = useIdentity();
  const [username, setUsername] = useState("");
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [team, setTeam] = useState(identity.team.id);
  const [role, setRole] = useState("member");
  const [orgRole, setOrgRole] = useState(NO_ROLE);
  const teams = useQuery({ queryKey: ["org-teams", "all"], queryFn: () => dataOf(api.GET("/api/org/teams", { params: { query: { limit: 200 } } })) });
  const add = useMutation({
    mutationFn: () => {
      const display = { ...(name.trim() && { display_name: name.trim() }), ...(email.trim() && { email: email.trim() }) };
      const appointed = orgRole === NO_ROLE ? {} : { org_role: orgRole as "org_reader" };
      return dataOf(api.POST("/api/org/members", { body: { username, team, role: role as "member", ...display, ...appointed } }));
    },
    onSuccess: onAdded,
  });
  const fault = (pointer: string) => (add.error instanceof Problem ? add.error.at(pointer) : undefined);
  if (add.isSuccess) {
    const { member, token } = add.data;
    return <Invitation name={member.display_name || member.username} token={token} onClose={onClose} />;
  }
  return (
    <FormDialog title={t("company.people_add")} name="add-person" submit={t("company.people_add")} sending={add} onClose={onClose}>
      <TextField label={t("entry.username")} autoComplete="off" isRequired value={username} onChange={setUsername} help={t("members.username_help")} fault={fault("/username")} autoFocus />
      <TextField label={t("members.display_name")} autoComplete="off" value={name} onChange={setName} fault={fault("/display_name")} />
      <TextField label={t("account.email")} autoComplete="off" value={email} onChange={setEmail} help={t("members.email_help")} fault={fault("/email")} />
      <Select label={t("nav.group_team")} options={teams.data?.items ?? [identity.team]} value={team} onChange={setTeam} fault={fault("/team")} />
      <Select label={t("members.role")} options={grantableRoles(identity).map((id) => ({ id, name: t(`role.${id}`) }))} value={role} onChange={setRole} fault={fault("/role")} />
      <Select
        label={t("company.org_role")}
        options={[NO_ROLE, ...appointable(identity)].map((id) => ({ id, name: id === NO_ROLE ? t("company.no_org_role") : t(`role.${id}`) }))}
        value={orgRole}
        onChange={setOrgRole}
        fault={fault("/org_role")}
      />
    </FormDialog>
  );
}
