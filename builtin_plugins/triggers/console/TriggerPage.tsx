import { useQueryClient } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { api } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePeople } from "@guildhall/console/people/usePeople";
import { Value } from "@guildhall/console/ui/Value";
import { FireList } from "./FireList";
import type { TriggerWithFires } from "./trigger";
import { TriggerSwitch } from "./TriggerSwitch";
import { TRIGGERS, useTrigger } from "./useTriggers";

export function TriggerPage({ id }: { id: string }) {
  useLive(TRIGGERS, ["trigger", id]);
  const trigger = useTrigger(id);
  if (trigger.isPending) return <SkeletonRows />;
  if (!trigger.data) return <ProblemNotice problem={trigger.error} onRetry={() => void trigger.refetch()} />;
  return <Shown trigger={trigger.data} />;
}

function Shown({ trigger }: { trigger: TriggerWithFires }) {
  const t = useText();
  const may = useMay();
  const nameOf = usePeople();
  const [, navigate] = useLocation();
  const { id, workflow_slug: slug, match_prefix: prefix, match_types: types } = trigger;
  const hasInput = Object.keys(trigger.input).length > 0;
  return (
    <>
      <PageHead title={prefix ? t("triggers.title", { prefix }) : t("triggers.title_any")}>
        <TriggerSwitch trigger={trigger} />
        {may("workflows:write") && (
          <>
            <Button onPress={() => navigate(`/triggers/${id}/edit`)}>
              <Pencil size={16} />
              {t("action.edit")}
            </Button>
            <Delete trigger={trigger} />
          </>
        )}
      </PageHead>
      <Panel title={t("triggers.rule")}>
        <Facts
          facts={[
            [t("triggers.workflow"), <Link href={`/workflows/${slug}/steps`}>{slug}</Link>],
            [t("triggers.prefix"), prefix ? <code>{prefix}</code> : t("triggers.every_key")],
            [t("triggers.types"), types.length ? types.join(", ") : t("triggers.every_type")],
            [t("triggers.derived_label"), trigger.fire_on_derived ? t("triggers.derived_yes") : t("triggers.derived_no")],
            [t("list.created"), <CreatedBy at={trigger.created_at} name={nameOf(trigger.created_by)} />],
          ]}
        />
        {hasInput && <Value title={t("workflows.input")} value={trigger.input} none="" />}
      </Panel>
      <FireList trigger={trigger} />
    </>
  );
}

function CreatedBy({ at, name }: { at: string; name: string }) {
  return (
    <>
      <Time at={at} /> · <span dir="auto">{name}</span>
    </>
  );
}

function Delete({ trigger: { id, workflow_slug: slug } }: { trigger: TriggerWithFires }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const remove = async () => {
    await api.DELETE("/api/doc-triggers/{id}", { params: { path: { id } } });
    navigate("/triggers");
    client.removeQueries({ queryKey: ["trigger", id] });
    void client.invalidateQueries({ queryKey: ["triggers"] });
    announce(t("triggers.deleted"));
  };
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <Trash2 size={16} />
        {t("action.delete")}
      </Button>
      <ConfirmByName
        title={t("triggers.delete_title")}
        text={t("triggers.delete_text")}
        name={slug}
        action={t("triggers.delete")}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={remove}
      />
    </>
  );
}
