import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CheckboxGroup, Label } from "react-aria-components";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import field from "@guildhall/console/ui/TextField.module.css";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import cells from "@guildhall/console/ui/Cells.module.css";

type Listed = paths["/api/oop"]["get"]["responses"]["200"]["content"]["application/json"];
type Program = Listed["items"][number];

const MARKS: Record<Program["status"], string> = { connected: "on", connecting: "running", down: "failed", broken: "failed", refused: "cancelled" };

/** Programs in a sandbox: how closed it was found, what each asks for, and what it was granted. */
export function SandboxedPlugins() {
  const t = useText();
  const programs = useQuery({ queryKey: ["oop"], queryFn: () => dataOf(api.GET("/api/oop")), refetchInterval: 10_000 });
  return (
    <>
      <PageHead title={t("nav.sandboxed")} text={t("sandbox.text")} />
      {programs.isPending ? (
        <SkeletonRows />
      ) : programs.isLoadingError ? (
        <ProblemNotice problem={programs.error} onRetry={() => void programs.refetch()} />
      ) : programs.data.items.length === 0 ? (
        <EmptyState text={t("sandbox.empty")} />
      ) : (
        programs.data.items.map((program) => <OneProgram key={program.id} program={program} capabilities={programs.data.capabilities} />)
      )}
    </>
  );
}

function OneProgram({ program, capabilities }: { program: Program; capabilities: Listed["capabilities"] }) {
  const t = useText();
  const { name, id, version, description, detail, tier, measured, tools, left_out, status } = program;
  const areas = Object.entries(measured);
  return (
    <Panel title={name ?? id} actions={<StateMark state={MARKS[status]} text={t(`sandbox.status_${status}`)} />}>
      {description && <p className={cells.muted}>{description}</p>}
      <Facts
        facts={[
          ...(version ? [[t("instance.version"), version] as const] : []),
          [t("sandbox.isolation"), `${t("sandbox.tier", { tier })}: ${t(`sandbox.tier_${tier.toLowerCase()}`)}`],
          [
            t("sandbox.measured"),
            <span key="measured" className={cells.line}>
              {areas.map(([area, isClosed]) => (
                <StateMark key={area} state={isClosed ? "on" : "failed"} text={`${t(`sandbox.area_${area}`)}: ${t(isClosed ? "sandbox.closed" : "sandbox.open")}`} />
              ))}
            </span>,
          ],
          [t("nav.tools"), tools.length === 0 ? t("state.none") : <code key="tools">{tools.map((tool) => tool.name).join(", ")}</code>],
          ...(detail ? [[t("jobs.why"), <span key="why" className={cells.reason}>{detail}</span>] as const] : []),
          ...left_out.map((one) => [one.name, <span key={one.name} className={cells.reason}>{one.reason}</span>] as const),
        ]}
      />
      {program.requested.length > 0 && <Grants key={program.granted.join()} program={program} capabilities={capabilities} />}
    </Panel>
  );
}

/** What a program asks for, each to be granted or not; nothing that it does not ask for can be. */
function Grants({ program, capabilities }: { program: Program; capabilities: Listed["capabilities"] }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [granted, setGranted] = useState<string[]>(program.granted);
  const save = useMutation({
    mutationFn: () => dataOf(api.POST("/api/oop/{id}/grants", { params: { path: { id: program.id } }, body: { capabilities: granted } })),
    onSuccess: () => {
      announce(t("state.saved"));
      return client.invalidateQueries({ queryKey: ["oop"] });
    },
  });
  const isSame = [...granted].sort().join() === [...program.granted].sort().join();
  const about = (name: string) => capabilities.find((one) => one.name === name)?.description;
  return (
    <>
      {save.isError && <ProblemNotice problem={save.error} />}
      <CheckboxGroup className={field.field} value={granted} onChange={setGranted}>
        <Label className={field.label}>{t("sandbox.requested")}</Label>
        {program.requested.map((name) => (
          <Checkbox key={name} value={name}>
            {[name, about(name)].filter(Boolean).join(": ")}
          </Checkbox>
        ))}
      </CheckboxGroup>
      <div>
        <Button kind="primary" isDisabled={isSame} isPending={save.isPending} onPress={() => save.mutate()}>
          {t("sandbox.grant")}
        </Button>
      </div>
    </>
  );
}
