import { useQuery } from "@tanstack/react-query";

import { authorizedFetch } from "../api/client";
import { problemOf } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { Modal } from "./Modal";
import { ProblemNotice } from "./ProblemNotice";
import { SkeletonRows } from "./Skeleton";
import { StateMark } from "./StateMark";
import styles from "./WhyView.module.css";

interface Judgement {
  gate: string;
  plugin: string;
  rule: string | null;
  decision: "allow" | "deny" | "skip";
  because: string;
  lifted_by: string | null;
}
interface Explained {
  allowed: boolean;
  gates: Judgement[];
}

const MARKS: Record<Judgement["decision"], string> = { allow: "on", deny: "failed", skip: "cancelled" };

/** What each gate says about a request, and who could change that: the same as `guildhall explain`. */
export default function WhyView({ address, onClose }: { address: string; onClose: () => void }) {
  const { t, has } = useTexts();
  const asked = useQuery({ queryKey: ["why", address], queryFn: () => explained(address), staleTime: 0, gcTime: 0 });
  const named = (gate: string) => (has(`why.gate_${gate}`) ? t(`why.gate_${gate}`) : gate);
  return (
    <Modal title={t("why.title")} isOpen onClose={onClose}>
      {asked.isPending && <SkeletonRows />}
      {asked.isError && <ProblemNotice problem={asked.error} onRetry={() => void asked.refetch()} />}
      {asked.data?.allowed && <p>{t("why.now_allowed")}</p>}
      <ol className={styles.gates}>
        {asked.data?.gates.map((one, place) => (
          <li key={place}>
            <span className={styles.gate}>
              {named(one.gate)}
              <StateMark state={MARKS[one.decision]} text={t(`why.${one.decision}`)} />
            </span>
            <p>{one.because}</p>
            {one.decision === "deny" && one.lifted_by && <p>{one.lifted_by}</p>}
            {one.decision === "deny" && <code className={styles.rule}>{[one.plugin, one.rule].filter(Boolean).join(" · ")}</code>}
          </li>
        ))}
      </ol>
    </Modal>
  );
}

/** The address comes with the refusal: only our own server's is asked, as the caller's bearer goes along. */
async function explained(address: string): Promise<Explained> {
  const url = new URL(address, location.origin);
  if (url.origin !== location.origin) throw new Error("an answer of this server names no other one");
  const response = await authorizedFetch(new Request(url));
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as Explained;
}
