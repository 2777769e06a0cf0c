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
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Panel } from "@guildhall/console/ui/Panel";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { usePages } from "@guildhall/console/ui/usePages";
import { OnOff } from "./Outgoing";
import { ShowSecret } from "./ShowSecret";
import { IN, SCHEMES, SCHEME_NAMES, type Scheme } from "./webhook";

/** The addresses at which messages start workflows. */
export function Incoming() {
  const t = useText();
  const may = useMay();
  const client = useQueryClient();
  useLive("/api/hooks-in", IN);
  const [isMaking, setMaking] = useState(false);
  const hooks = usePages([...IN], (cursor) => dataOf(api.GET("/api/hooks-in", { params: { query: cursor } })));
  const add = may("workflows:write") && (
    <Button onPress={() => setMaking(true)}>
      <Plus size={16} aria-hidden="true" />
      {t("webhooks.new_in")}
    </Button>
  );
  return (
    <Panel title={t("webhooks.in")} actions={add}>
      <p>{t("webhooks.in_about")}</p>
      <PagedTable
        label={t("webhooks.in")}
        pages={hooks}
        idOf={({ id }) => id}
        empty={{ text: t("webhooks.in_none") }}
        columns={[
          { id: "workflow", name: t("webhooks.workflow"), cell: ({ id, workflow_slug }) => <Link href={`/webhooks/in/${id}`}>{workflow_slug}</Link> },
          { id: "scheme", name: t("webhooks.scheme"), isSecondary: true, cell: ({ scheme }) => (scheme === "none" ? t("webhooks.scheme_none") : SCHEME_NAMES[scheme]) },
          { id: "on", name: t("list.status"), cell: (hook) => <OnOff {...hook} /> },
        ]}
      />
      {isMaking && <NewHook onClose={() => setMaking(false)} onMade={() => void client.invalidateQueries({ queryKey: IN })} />}
    </Panel>
  );
}

function NewHook({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const t = useText();
  const [slug, setSlug] = useState("");
  const [scheme, setScheme] = useState<Scheme>("standard");
  const [seconds, setSeconds] = useState("0");
  const [secret, setSecret] = useState("");
  const workflows = useQuery({
    queryKey: ["workflows", "names"],
    queryFn: () => dataOf(api.GET("/api/workflows", { params: { query: { limit: 200 } } })),
  });
  const make = useMutation({
    mutationFn: () => {
      const body = { workflow_slug: slug, scheme, wait_seconds: Number(seconds), ...(secret && scheme !== "none" && { secret }) };
      return dataOf(api.POST("/api/hooks-in", { body }));
    },
    onSuccess: onMade,
  });
  if (make.isSuccess) return <ShowSecret title={make.data.workflow_slug} url={make.data.url} secret={make.data.secret} onClose={onClose} />;
  const fault = (pointer: string) => {
    const words = make.error instanceof Problem ? make.error.at(pointer) : undefined;
    return words ? { fault: words } : {};
  };
  return (
    <FormDialog title={t("webhooks.new_in")} name="new-hook-in" submit={t("webhooks.new_in")} sending={make} onClose={onClose}>
      <Select
        label={t("webhooks.workflow")}
        isRequired
        options={(workflows.data?.items ?? []).map(({ slug: id, name }) => ({ id, name }))}
        value={slug || null}
        onChange={setSlug}
        {...fault("/workflow_slug")}
      />
      <Select
        label={t("webhooks.scheme")}
        options={SCHEMES.map((id) => ({ id, name: id === "none" ? t("webhooks.scheme_none") : SCHEME_NAMES[id] }))}
        value={scheme}
        onChange={(one) => setScheme(one as Scheme)}
      />
      {scheme !== "none" && (
        <TextField label={t("webhooks.own_secret")} help={t("webhooks.own_secret_help")} type="password" autoComplete="off" value={secret} onChange={setSecret} {...fault("/secret")} />
      )}
      <TextField label={t("webhooks.wait_seconds")} inputMode="numeric" value={seconds} onChange={setSeconds} {...fault("/wait_seconds")} />
    </FormDialog>
  );
}
