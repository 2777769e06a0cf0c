import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";

interface Job {
  state: string;
  result: { url: string; expires_at: string } | null;
}

const FRESH_MS = 1_000;
const OWNER = "org_owner";
const UNDER_WAY = ["queued", "running"];

/** The name under which a tab knows the last export of a company again, after a reload. */
const nameOf = (company: string) => `guildhall.export.${company}`;

/** A company's owner has all of it put into a file, and downloads that. */
export default function CompanyExport() {
  const t = useText();
  const announce = useAnnounce();
  const { org, org_role: role } = useIdentity();
  const [id, setId] = useState(() => sessionStorage.getItem(nameOf(org.id)));
  const ask = useMutation({
    mutationFn: async () => (await callRow({ method: "POST", path: "/api/org/export" })) as { job: { id: string } },
    onSuccess: ({ job }) => {
      sessionStorage.setItem(nameOf(org.id), job.id);
      setId(job.id);
      announce(t("backup.asked"));
    },
  });
  const job = useQuery({
    queryKey: ["company-export", id],
    queryFn: async () => (await callRow({ method: "GET", path: `/api/jobs/${id ?? ""}` })) as Job,
    enabled: id !== null,
    refetchInterval: ({ state }) => (!state.data || UNDER_WAY.includes(state.data.state) ? FRESH_MS : false),
    retry: false,
  });
  const isMaking = id !== null && !job.isError && (!job.data || UNDER_WAY.includes(job.data.state));
  return (
    <Panel title={t("backup.take_along")}>
      <p>{t("backup.export_about")}</p>
      {ask.error && <ProblemNotice problem={ask.error} />}
      {role !== OWNER ? (
        <EmptyState text={t("backup.owner_only")} />
      ) : (
        <>
          {isMaking ? <p role="status">{t("backup.running")}</p> : job.data && <Made job={job.data} />}
          <Button kind={job.data?.result ? "plain" : "primary"} isPending={ask.isPending} isDisabled={isMaking} onPress={() => ask.mutate()}>
            {t(job.data ? "backup.again" : "backup.ask")}
          </Button>
        </>
      )}
    </Panel>
  );
}

function Made({ job: { result } }: { job: Job }) {
  const t = useText();
  if (!result) return <p role="alert">{t("backup.export_failed")}</p>;
  // The address has the server's own name, by which this browser need not know it.
  const { pathname, search } = new URL(result.url);
  return (
    <>
      <p role="status">{t("backup.made")}</p>
      <Facts
        facts={[
          [
            t("backup.download"),
            <a key="file" href={pathname + search} download>
              export.zip
            </a>,
          ],
          [t("backup.ends"), <Time key="ends" at={result.expires_at} />],
        ]}
      />
    </>
  );
}
