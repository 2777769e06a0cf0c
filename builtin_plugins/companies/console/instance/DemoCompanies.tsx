import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Table } from "@guildhall/console/ui/Table";

/** Puts up companies to try things with, where the operator's settings allow them; says who signs in to them. */
export function DemoCompanies() {
  const t = useText();
  const client = useQueryClient();
  const allowed = useQuery({ queryKey: ["demo"], queryFn: () => dataOf(api.GET("/api/admin/seed-tenants")) });
  const make = useMutation({
    mutationFn: () => dataOf(api.POST("/api/admin/seed-tenants")),
    onSuccess: () => client.invalidateQueries({ queryKey: ["orgs"] }),
  });
  if (!allowed.data?.enabled) return null;
  const people = (make.data?.items ?? []).flatMap(({ org, people: all }) => all.map((person) => ({ ...person, company: org.name })));
  return (
    <>
      <Button isPending={make.isPending} onPress={() => make.mutate()}>
        {t("instance.demo")}
      </Button>
      <Modal title={t("instance.demo_made")} isOpen={make.isSuccess || make.isError} isWide onClose={make.reset}>
        {make.isError ? <ProblemNotice problem={make.error} onRetry={() => make.mutate()} /> : <p>{t("instance.demo_help")}</p>}
        {make.isSuccess && (
          <Table
            label={t("instance.demo_made")}
            items={people}
            idOf={({ username }) => username}
            columns={[
              { id: "company", name: t("nav.group_company"), cell: ({ company }) => company },
              { id: "username", name: t("entry.username"), cell: ({ username }) => <code>{username}</code> },
              { id: "password", name: t("entry.password"), cell: ({ password }) => <code>{password}</code> },
              { id: "role", name: t("members.role"), isSecondary: true, cell: ({ role }) => t(`role.${role}`) },
            ]}
          />
        )}
        <Actions>
          <Button kind="primary" onPress={make.reset}>
            {t("action.close")}
          </Button>
        </Actions>
      </Modal>
    </>
  );
}
