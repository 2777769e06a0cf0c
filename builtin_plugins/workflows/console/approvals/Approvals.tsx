import { useCallback } from "react";
import { Route, Switch, useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { APPROVALS, type Approval } from "./approval";
import { ApprovalPage } from "./ApprovalPage";

export default function Approvals() {
  return (
    <Switch>
      <Route path="/approvals" component={ApprovalList} />
      <Route path="/approvals/:id">{({ id }) => <ApprovalPage key={id} id={id} />}</Route>
    </Switch>
  );
}

function ApprovalList() {
  const t = useText();
  const [, navigate] = useLocation();
  const mine = usePages([...APPROVALS, "list"], (cursor) =>
    dataOf(api.GET("/api/approvals", { params: { query: { mine: "1", ...cursor } } })),
  );
  useLive("/api/approvals", APPROVALS);
  const row = useCallback((approval: Approval) => <Row approval={approval} />, []);
  return (
    <>
      <PageHead title={t("nav.approvals")} text={t("approvals.about")} />
      <RowList
        label={t("nav.approvals")}
        pages={mine}
        idOf={({ id }) => id}
        onOpen={({ id }) => navigate(`/approvals/${id}`)}
        empty={{ text: t("approvals.empty") }}
        row={row}
      />
    </>
  );
}

function Row({ approval }: { approval: Approval }) {
  return (
    <>
      <RowTitle>
        <span dir="auto">{approval.title}</span>
      </RowTitle>
      <RowMeta>
        <Time at={approval.requested_at} />
      </RowMeta>
    </>
  );
}
