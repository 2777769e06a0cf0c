import { useMutation } from "@tanstack/react-query";
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

/** Adds somebody to the team; a new person's link is shown once. */
export function AddMember({ onClose, onAdded }: { onClose: () => void; onAdded: () => void }) {
  const t = useText();
  const identity = useIdentity();
  const [username, setUsername] = useState("");
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState("member");
  const add = useMutation({
    mutationFn: () => {
      const display = { ...(name.trim() && { display_name: name.trim() }), ...(email.trim() && { email: email.trim() }) };
      return dataOf(api.POST("/api/members", { body: { username, role: role as "member", ...display } }));
    },
    onSuccess: onAdded,
  });
  const fault = (pointer: string) => (add.error instanceof Problem ? add.error.at(pointer) : undefined);
  if (add.isSuccess) {
    const { member, token } = add.data;
    return <Invitation name={member.display_name || member.username} token={token} onClose={onClose} />;
  }
  return (
    <FormDialog title={t("members.invite")} name="add-member" submit={t("members.invite")} sending={add} onClose={onClose}>
      <TextField label={t("entry.username")} autoComplete="off" isRequired value={username} onChange={setUsername} help={t("members.username_help")} fault={fault("/username")} autoFocus />
      <TextField label={t("members.display_name")} autoComplete="off" value={name} onChange={setName} fault={fault("/display_name")} />
      <TextField label={t("account.email")} autoComplete="off" value={email} onChange={setEmail} help={t("members.email_help")} fault={fault("/email")} />
      <Select
        label={t("members.role")}
        options={grantableRoles(identity).map((id) => ({ id, name: t(`role.${id}`) }))}
        value={role}
        onChange={setRole}
        fault={fault("/role")}
      />
    </FormDialog>
  );
}
