import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { TextField } from "@guildhall/console/ui/TextField";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { Invite } from "./Invite";
import { answersOf, emailOf, titleOf, type Prospect } from "./prospect";
import { ProspectStatus } from "./ProspectStatus";
import { Signals } from "./Signals";
import styles from "./Beta.module.css";

/** One who signed up: what they wrote, what was noticed, what a model thinks, and what is decided. */
export function ProspectPage({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ["beta", "prospect", id],
    queryFn: () => dataOf(api.GET("/api/beta/prospects/{id}", { params: { path: { id } } })),
  });
  if (query.isPending) return <SkeletonRows />;
  if (query.isLoadingError) return <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />;
  return <ProspectView prospect={query.data} />;
}

function ProspectView({ prospect }: { prospect: Prospect }) {
  const t = useText();
  const may = useMay();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isErasing, setErasing] = useState(false);
  const [isInviting, setInviting] = useState(false);
  const [note, setNote] = useState(prospect.note ?? "");
  const params = { path: { id: prospect.id } };
  const decide = useMutation({
    mutationFn: (decision: "accept" | "decline") =>
      dataOf(api.POST("/api/beta/prospects/{id}/decide", { params, body: { decision, ...(note.trim() && { note: note.trim() }) } })),
    onSuccess: (decided) => {
      client.setQueryData(["beta", "prospect", prospect.id], decided);
      void client.invalidateQueries({ queryKey: ["beta", "prospects"] });
      announce(t(`prospects.${decided.status}`));
      if (decided.status === "accepted" && may("members:manage")) setInviting(true);
    },
  });
  const erase = async () => {
    await api.DELETE("/api/beta/prospects/{id}", { params });
    void client.invalidateQueries({ queryKey: ["beta", "prospects"] });
    navigate("/beta-program/prospects", { replace: true });
  };
  const title = titleOf(prospect);
  return (
    <>
      <p className={styles.trail}>
        <Link href="/beta-program/prospects">{t("nav.prospects")}</Link>
      </p>
      <PageHead title={title}>
        {prospect.status === "accepted" && may("members:manage") && (
          <Button kind="primary" onPress={() => setInviting(true)}>
            {t("prospects.invite")}
          </Button>
        )}
        <Button kind="quiet" onPress={() => setErasing(true)}>
          {t("prospects.erase")}
        </Button>
      </PageHead>
      <div className={styles.under}>
        <ProspectStatus prospect={prospect} />
        <span>
          {t("prospects.signed_up")} <Time at={prospect.created_at} />
        </span>
        {prospect.decided_at && (
          <span>
            {t("prospects.decided")} <Time at={prospect.decided_at} />
          </span>
        )}
      </div>
      <div className={styles.columns}>
        <Panel title={t("prospects.answers")}>
          <Facts
            facts={answersOf(prospect).map(([name, answer]) => [
              name,
              <span key={name} dir="auto" className={styles.answer}>
                {answer}
              </span>,
            ])}
          />
        </Panel>
        <div>
          <Panel title={t("prospects.decision")}>
            {decide.isError && <ProblemNotice problem={decide.error} />}
            <TextField label={t("prospects.note")} help={t("form.optional")} rows={2} value={note} onChange={setNote} />
            <div className={styles.actions}>
              <Button kind={prospect.status === "accepted" ? "plain" : "primary"} isDisabled={prospect.status === "accepted"} isPending={decide.isPending} onPress={() => decide.mutate("accept")}>
                {t("prospects.accept")}
              </Button>
              <Button isDisabled={prospect.status === "declined"} isPending={decide.isPending} onPress={() => decide.mutate("decline")}>
                {t("prospects.decline")}
              </Button>
            </div>
          </Panel>
          <Panel title={t("prospects.verdict")}>
            {prospect.verdict ? (
              <>
                <p className={styles.score}>{t("prospects.score", { score: prospect.verdict.score })}</p>
                <p>{t(`prospects.recommends_${prospect.verdict.recommendation}`)}</p>
                <p dir="auto">{prospect.verdict.reason}</p>
                <p className={styles.muted}>{prospect.verdict.model}</p>
              </>
            ) : (
              <p className={styles.muted}>{prospect.signals.judge_problem ?? t("prospects.no_verdict")}</p>
            )}
          </Panel>
          <Signals prospect={prospect} />
        </div>
      </div>
      {isInviting && <Invite prospect={prospect} onClose={() => setInviting(false)} />}
      <ConfirmByName
        title={t("prospects.erase")}
        text={t("prospects.erase_confirm")}
        name={emailOf(prospect) ?? title}
        action={t("prospects.erase")}
        isOpen={isErasing}
        onClose={() => setErasing(false)}
        onConfirm={erase}
      />
    </>
  );
}
