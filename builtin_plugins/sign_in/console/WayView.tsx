import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Heading } from "./Heading";
import { Preview } from "./Preview";
import { fetchWay, fetchWays, keyOf, ruleLine, type Place, type Way } from "./way";
import { WayDialog } from "./WayDialog";

interface Tested {
  ok: boolean;
  steps: { name: string; ok: boolean; detail: string }[];
}

/** One way: what the other side is to know of it, whether it works, and what it would do with somebody. */
export function WayView({ place, id }: { place: Place; id: string }) {
  const t = useText();
  const way = useQuery({ queryKey: [...keyOf(place), id], queryFn: () => fetchWay(place, id) });
  if (way.isPending) return <SkeletonRows />;
  if (!way.data) return <ProblemNotice problem={way.error} onRetry={() => void way.refetch()} />;
  return (
    <>
      <Head place={place} way={way.data} />
      <Panel title={t("signin.addresses")}>
        <p>{t("signin.addresses_help")}</p>
        <Facts facts={Object.entries(way.data.addresses).map(([name, url]) => [name.replaceAll("_", " "), <bdi key={name}>{url}</bdi>] as const)} />
      </Panel>
      <Test place={place} id={id} />
      <Preview place={place} id={id} />
    </>
  );
}

function Head({ place, way }: { place: Place; way: Way }) {
  const t = useText();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isChanging, setChanging] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const kinds = useQuery({ queryKey: [...keyOf(place), "kinds"], queryFn: () => fetchWays(place), enabled: isChanging });
  const refetch = () => void client.invalidateQueries({ queryKey: keyOf(place) });
  return (
    <>
      <Heading place={place} title={way.label} text={way.rules.map(ruleLine).join(" · ")}>
        <Button onPress={() => setChanging(true)}>
          <Pencil size={16} aria-hidden="true" />
          {t("action.edit")}
        </Button>
        <Button kind="quiet" onPress={() => setLeaving(true)}>
          <Trash2 size={16} aria-hidden="true" />
          {t("action.delete")}
        </Button>
      </Heading>
      {isChanging && kinds.data && (
        <WayDialog place={place} kinds={kinds.data.kinds.filter(({ name }) => name === way.kind)} way={way} onClose={() => setChanging(false)} onDone={refetch} />
      )}
      {isLeaving && (
        <Revoke
          text={t("signin.delete_confirm", { label: way.label })}
          action={t("action.delete")}
          onClose={() => setLeaving(false)}
          onRevoke={async () => {
            await callRow({ method: "DELETE", path: `${place.rows}/${way.id}` });
            refetch();
            navigate(place.path);
          }}
        />
      )}
    </>
  );
}

function Test({ place, id }: { place: Place; id: string }) {
  const t = useText();
  const test = useMutation({ mutationFn: async () => (await callRow({ method: "POST", path: `${place.rows}/${id}/test` })) as Tested });
  const button = (
    <Button isPending={test.isPending} onPress={() => test.mutate()}>
      <Play size={16} aria-hidden="true" />
      {t("signin.test")}
    </Button>
  );
  return (
    <Panel title={t("signin.test_title")} actions={button}>
      {test.isError && <ProblemNotice problem={test.error} />}
      {!test.data && <p>{t("signin.test_help")}</p>}
      {test.data && (
        <Facts
          facts={test.data.steps.map(({ name, ok, detail }) => [
            name,
            <StateMark key={name} state={ok ? "succeeded" : "failed"} text={detail} />,
          ] as const)}
        />
      )}
    </Panel>
  );
}
