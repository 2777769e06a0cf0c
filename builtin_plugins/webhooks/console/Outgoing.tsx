import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { TextField } from "@guildhall/console/ui/TextField";
import { usePages } from "@guildhall/console/ui/usePages";
import { ShowSecret } from "./ShowSecret";
import { OUT, type Webhook } from "./webhook";

/** The addresses that events are sent to. */
export function Outgoing() {
  const t = useText();
  const may = useMay();
  const client = useQueryClient();
  useLive("/api/webhooks", OUT);
  const [isMaking, setMaking] = useState(false);
  const webhooks = usePages([...OUT], (cursor) => dataOf(api.GET("/api/webhooks", { params: { query: cursor } })));
  const add = may("workflows:write") && (
    <Button onPress={() => setMaking(true)}>
      <Plus size={16} aria-hidden="true" />
      {t("webhooks.new_out")}
    </Button>
  );
  return (
    <Panel title={t("webhooks.out")} actions={add}>
      <p>{t("webhooks.out_about")}</p>
      <PagedTable
        label={t("webhooks.out")}
        pages={webhooks}
        idOf={({ id }) => id}
        empty={{ text: t("webhooks.out_none") }}
        columns={[
          { id: "url", name: t("webhooks.address"), cell: ({ id, url }) => <Link href={`/webhooks/out/${id}`}>{url}</Link> },
          { id: "events", name: t("webhooks.events"), isSecondary: true, cell: ({ events }) => events.join(", ") },
          { id: "on", name: t("list.status"), cell: (webhook) => <OnOff {...webhook} /> },
        ]}
      />
      {isMaking && <NewWebhook onClose={() => setMaking(false)} onMade={() => void client.invalidateQueries({ queryKey: OUT })} />}
    </Panel>
  );
}

/** On, off, or why it has stopped. */
export function OnOff({ enabled, stopped }: Pick<Webhook, "enabled" | "stopped">) {
  if (stopped) return <StateMark state="failed" text={stopped.message} />;
  return <StateMark state={enabled ? "on" : "off"} />;
}

function NewWebhook({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const t = useText();
  const [url, setUrl] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const [isOrdered, setOrdered] = useState(false);
  const events = useQuery({ queryKey: [...OUT, "events"], queryFn: () => dataOf(api.GET("/api/webhook-events")) });
  const make = useMutation({
    mutationFn: () => dataOf(api.POST("/api/webhooks", { body: { url: url.trim(), events: chosen, ordered: isOrdered } })),
    onSuccess: onMade,
  });
  if (make.isSuccess) return <ShowSecret title={make.data.url} secret={make.data.secret} onClose={onClose} />;
  const fault = make.error instanceof Problem ? make.error.at("/url") : undefined;
  return (
    <FormDialog title={t("webhooks.new_out")} name="new-webhook" submit={t("webhooks.new_out")} sending={make} isDisabled={chosen.length === 0} onClose={onClose}>
      <TextField label={t("webhooks.address")} type="url" isRequired autoFocus value={url} onChange={setUrl} {...(fault ? { fault } : {})} />
      {events.isLoadingError && <ProblemNotice problem={events.error} onRetry={() => void events.refetch()} />}
      <fieldset>
        <legend>{t("webhooks.events")}</legend>
        {events.data?.items.map(({ name }) => (
          <Checkbox
            key={name}
            isSelected={chosen.includes(name)}
            onChange={(isOn) => setChosen((all) => (isOn ? [...all, name] : all.filter((one) => one !== name)))}
          >
            {name}
          </Checkbox>
        ))}
      </fieldset>
      <Checkbox isSelected={isOrdered} onChange={setOrdered}>
        {t("webhooks.ordered")}
      </Checkbox>
    </FormDialog>
  );
}
