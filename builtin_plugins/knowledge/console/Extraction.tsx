import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { ProgressBar } from "@guildhall/console/ui/ProgressBar";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { extractionProgress } from "./extraction";
import styles from "./Knowledge.module.css";

const LOOK_AGAIN_MS = 1_000;

/** Reads the documents that were not read yet, for whoever may, with how far it is. It goes on when one leaves. */
export function Extraction() {
  const t = useText();
  const may = useMay();
  const mayRead = may("workflows:run") && may("chat:use");
  const features = useQuery({
    queryKey: ["features"],
    queryFn: () => dataOf(api.GET("/api/features")),
    enabled: mayRead,
    staleTime: 60_000,
  });
  const isOn = features.data?.items.find(({ name }) => name === "workflows")?.enabled ?? false;
  return mayRead && isOn ? <Extracting label={t("graph.extract")} /> : null;
}

function Extracting({ label }: { label: string }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const start = useMutation({ mutationFn: () => dataOf(api.POST("/api/kg/extract", { body: {} })) });
  const id = start.data?.id;
  const run = useQuery({
    queryKey: ["run", id],
    queryFn: () => dataOf(api.GET("/api/runs/{id}", { params: { path: { id: id ?? "" } } })),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data && state.data.state !== "running" ? false : LOOK_AGAIN_MS),
  });
  const state = run.data?.state;
  const { done, total, failed } = extractionProgress(run.data?.steps ?? []);
  useEffect(() => {
    if (state === undefined || state === "running") return;
    void client.invalidateQueries({ queryKey: ["kg"] });
    announce(total === 0 ? t("graph.nothing_to_read") : t("graph.read_done", { count: done, failed }));
    start.reset();
    // The outcome is said once, when the state changes.
  }, [state]);
  if (id !== undefined) {
    return (
      <div className={styles.progress}>
        <ProgressBar label={t("graph.reading")} value={total ? done / total : 0} />
        <Link href={`/runs/${id}`}>{t("runs.open")}</Link>
      </div>
    );
  }
  return (
    <>
      {start.isError && <ProblemNotice problem={start.error} />}
      <Button isPending={start.isPending} onPress={() => start.mutate()}>
        {label}
      </Button>
    </>
  );
}
