import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { Invitation } from "@guildhall/console/people/Invitation";
import { faultOf } from "./faults";
import { emailOf, nameOf, usernameFor, type Prospect } from "./prospect";

// Those that whoever manages a team's members may give.
const ROLES = ["viewer", "member", "admin"] as const;

/** Lets an accepted prospect into this team: makes them a member, and shows once the link that sets their password. */
export function Invite({ prospect, onClose }: { prospect: Prospect; onClose: () => void }) {
  const t = useText();
  const client = useQueryClient();
  const [username, setUsername] = useState(() => usernameFor(prospect));
  const [name, setName] = useState(() => nameOf(prospect) ?? "");
  const [role, setRole] = useState<(typeof ROLES)[number]>("member");
  const add = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/members", {
          body: { username, role, locale: prospect.locale, ...(name.trim() && { display_name: name.trim() }) },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ["members"] }),
  });
  if (add.data) return <Invitation name={name.trim() || username} token={add.data.token} onClose={onClose} />;
  const fault = (pointer: string) => faultOf(add.error instanceof Problem ? add.error.at(pointer) : undefined);
  return (
    <Modal title={t("prospects.invite_title", { name: emailOf(prospect) ?? username })} isOpen onClose={onClose}>
      <p>{t("prospects.invite_help")}</p>
      <Form name="invite-prospect" onSubmit={() => add.mutate()}>
        {add.isError && <ProblemNotice problem={add.error} />}
        <TextField label={t("entry.username")} value={username} onChange={setUsername} isRequired autoFocus {...fault("/username")} />
        <TextField label={t("members.display_name")} value={name} onChange={setName} {...fault("/display_name")} />
        <Select
          label={t("members.role")}
          options={ROLES.map((id) => ({ id, name: t(`role.${id}`) }))}
          value={role}
          onChange={(id) => setRole(ROLES.find((one) => one === id) ?? "member")}
        />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("prospects.later")}
          </Button>
          <Button kind="primary" type="submit" isPending={add.isPending}>
            {t("prospects.invite")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
