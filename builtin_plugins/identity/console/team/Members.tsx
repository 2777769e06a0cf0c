import { useMutation, useQueryClient } from "@tanstack/react-query";
import { UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Select } from "@guildhall/console/ui/Select";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import { AddMember } from "./AddMember";
import { PersonLink } from "./PersonLink";
import { PersonStatus } from "@guildhall/console/people/PersonStatus";
import { ResetTwoFactor } from "@guildhall/console/people/ResetTwoFactor";
import { grantableRoles, mayChange } from "@guildhall/console/people/roles";
import cells from "@guildhall/console/ui/Cells.module.css";

interface Member {
  user_id: string;
  username: string;
  display_name: string;
  role: string;
  status: string;
  last_seen_at: string | null;
}

export function Members() {
  const t = useText();
  const may = useMay();
  const client = useQueryClient();
  const announce = useAnnounce();
  const identity = useIdentity();
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Member | null>(null);
  useLive("/api/members", ["members"]);
  const members = usePages(["members"], (cursor) => dataOf(api.GET("/api/members", { params: { query: cursor } })));
  const refetch = () => void client.invalidateQueries({ queryKey: ["members"] });
  const change = useMutation({
    mutationFn: ({ member, role }: { member: Member; role: string }) =>
      dataOf(api.PATCH("/api/members/{id}", { params: { path: { id: member.user_id } }, body: { role: role as never } })),
    onSuccess: (after) => announce(t("members.role_changed", { name: nameOf(after), role: t(`role.${after.role}`) })),
    onSettled: refetch,
  });
  const manages = may("members:manage");
  const roles = grantableRoles(identity);
  const add = manages && (
    <Button kind="primary" onPress={() => setAdding(true)}>
      <UserPlus size={16} aria-hidden="true" />
      {t("members.invite")}
    </Button>
  );
  const isOpen = (member: Member) => manages && member.user_id !== identity.user.id && mayChange(identity, member.role);
  return (
    <>
      <PageHead title={t("nav.members")} text={t("members.intro", { team: identity.team.name })}>
        {add}
      </PageHead>
      {change.isError && <ProblemNotice problem={change.error} />}
      <PagedTable
        label={t("nav.members")}
        pages={members}
        idOf={({ user_id }) => user_id}
        empty={{ text: t("members.empty"), action: add }}
        columns={[
          {
            id: "name",
            name: t("list.name"),
            cell: (member) => (
              <span className={cells.person}>
                <bdi className={cells.strong}>{nameOf(member)}</bdi>
                {member.username !== nameOf(member) && <bdi className={cells.aside}>{member.username}</bdi>}
                <PersonStatus status={member.status} />
              </span>
            ),
          },
          {
            id: "role",
            name: t("members.role"),
            cell: (member) =>
              isOpen(member) ? (
                <div className={cells.role}>
                  <Select
                    label={t("members.role_of", { name: nameOf(member) })}
                    isLabelHidden
                    options={[...new Set([...roles, member.role])].map((id) => ({ id, name: t(`role.${id}`) }))}
                    value={change.isPending && change.variables.member.user_id === member.user_id ? change.variables.role : member.role}
                    onChange={(role) => role !== member.role && change.mutate({ member, role })}
                  />
                </div>
              ) : (
                <span>
                  {t(`role.${member.role}`)}
                  {member.user_id === identity.user.id && <span className={cells.aside}> · {t("members.you")}</span>}
                </span>
              ),
          },
          {
            id: "seen",
            name: t("members.last_seen"),
            isSecondary: true,
            cell: ({ last_seen_at }) => (last_seen_at ? <Time at={last_seen_at} /> : <span className={cells.aside}>{t("members.never_seen")}</span>),
          },
        ]}
        actions={(member) => (
          <>
            {isOpen(member) && member.status !== "suspended" && (
              <PersonLink userId={member.user_id} name={nameOf(member)} isInvited={member.status === "invited"} />
            )}
            <ResetTwoFactor userId={member.user_id} name={nameOf(member)} />
            {isOpen(member) && <RowAction icon={UserMinus} name={t("action.remove")} of={nameOf(member)} onPress={() => setLeaving(member)} />}
          </>
        )}
      />
      {isAdding && <AddMember onClose={() => setAdding(false)} onAdded={refetch} />}
      {leaving && (
        <ConfirmByName
          isOpen
          title={t("members.remove_confirm", { name: nameOf(leaving) })}
          text={t("members.remove_help")}
          name={leaving.username}
          action={t("action.remove")}
          onClose={() => setLeaving(null)}
          onConfirm={async () => {
            await api.DELETE("/api/members/{id}", { params: { path: { id: leaving.user_id } } });
            announce(t("members.removed", { name: nameOf(leaving) }));
            refetch();
          }}
        />
      )}
    </>
  );
}

const nameOf = (member: Pick<Member, "display_name" | "username">) => member.display_name || member.username;
