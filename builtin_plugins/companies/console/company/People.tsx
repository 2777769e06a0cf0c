import { useMutation, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import { PersonStatus } from "@guildhall/console/people/PersonStatus";
import { ResetTwoFactor } from "@guildhall/console/people/ResetTwoFactor";
import { AddPerson } from "./AddPerson";
import cells from "@guildhall/console/ui/Cells.module.css";
import { appointable, mayAppoint, NO_ROLE } from "./orgRoles";
import { PersonStanding } from "./PersonStanding";
import { SectionHead } from "@guildhall/console/ui/PageHead";

interface Person {
  user_id: string;
  username: string;
  display_name: string;
  org_role: string | null;
  status: string;
  teams: { id: string; name: string; role: string }[];
}

export function People() {
  const t = useText();
  const may = useMay();
  const announce = useAnnounce();
  const client = useQueryClient();
  const identity = useIdentity();
  const [isAdding, setAdding] = useState(false);
  useLive("/api/org/members", ["org-people"]);
  const people = usePages(["org-people"], (cursor) => dataOf(api.GET("/api/org/members", { params: { query: cursor } })));
  const refetch = () => void client.invalidateQueries({ queryKey: ["org-people"] });
  const appoint = useMutation({
    mutationFn: ({ person, role }: { person: Person; role: string }) =>
      dataOf(
        api.PATCH("/api/org/members/{id}", {
          params: { path: { id: person.user_id } },
          body: { org_role: role === NO_ROLE ? null : (role as "org_reader") },
        }),
      ),
    onSuccess: (after) => announce(t("members.role_changed", { name: nameOf(after), role: roleWords(after.org_role) })),
    onSettled: refetch,
  });
  const manages = may("org:manage");
  const roleWords = (role: string | null) => (role ? t(`role.${role}`) : t("company.no_org_role"));
  const role = (person: Person) => {
    const isSelf = person.user_id === identity.user.id;
    if (!manages || isSelf || !mayAppoint(identity, person.org_role)) {
      return <span title={manages && isSelf ? t("company.own_role") : undefined}>{roleWords(person.org_role)}</span>;
    }
    const isMoving = appoint.isPending && appoint.variables.person.user_id === person.user_id;
    return (
      <div className={cells.role}>
        <Select
          label={t("company.org_role_of", { name: nameOf(person) })}
          isLabelHidden
          options={[NO_ROLE, ...appointable(identity)].map((id) => ({ id, name: roleWords(id === NO_ROLE ? null : id) }))}
          value={isMoving ? appoint.variables.role : (person.org_role ?? NO_ROLE)}
          onChange={(chosen) => chosen !== (person.org_role ?? NO_ROLE) && appoint.mutate({ person, role: chosen })}
        />
      </div>
    );
  };
  return (
    <>
      <SectionHead title={t("nav.people")}>
        {manages && (
          <Button kind="primary" onPress={() => setAdding(true)}>
            <UserPlus size={16} aria-hidden="true" />
            {t("company.people_add")}
          </Button>
        )}
      </SectionHead>
      {appoint.isError && <ProblemNotice problem={appoint.error} />}
      <PagedTable
        label={t("nav.people")}
        pages={people}
        idOf={({ user_id }) => user_id}
        empty={{ text: t("members.empty") }}
        columns={[
          {
            id: "name",
            name: t("list.name"),
            cell: (person) => (
              <span className={cells.person}>
                <bdi className={cells.strong}>{nameOf(person)}</bdi>
                {person.username !== nameOf(person) && <bdi className={cells.aside}>{person.username}</bdi>}
                <PersonStatus status={person.status} />
              </span>
            ),
          },
          {
            id: "teams",
            name: t("nav.teams"),
            isSecondary: true,
            cell: ({ teams }) => teams.map((team) => `${team.name} (${t(`role.${team.role}`)})`).join(", ") || t("state.none"),
          },
          { id: "role", name: t("company.org_role"), cell: role },
        ]}
        actions={(person) => (
          <>
            <ResetTwoFactor userId={person.user_id} name={nameOf(person)} />
            {manages && person.user_id !== identity.user.id && mayAppoint(identity, person.org_role) && (
              <PersonStanding userId={person.user_id} username={person.username} name={nameOf(person)} status={person.status} onChanged={refetch} />
            )}
          </>
        )}
      />
      {isAdding && <AddPerson onClose={() => setAdding(false)} onAdded={refetch} />}
    </>
  );
}

const nameOf = (person: Pick<Person, "display_name" | "username">) => person.display_name || person.username;
