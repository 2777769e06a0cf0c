import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { loadEntities, TYPES, type Entity } from "./entities";
import { TypeMark } from "./TypeMark";
import styles from "./Knowledge.module.css";

interface Candidate {
  entity: Pick<Entity, "id" | "name" | "type" | "mentions">;
  reasons: readonly string[];
}

/** Makes others part of this one: likely twins first, any other by its name. It can be undone. */
export function MergeEntities({ entity, onClose }: { entity: Entity; onClose: () => void }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [q, setQ] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const candidates = useQuery({
    queryKey: ["kg", "candidates", entity.id, q.trim()],
    queryFn: () => loadCandidates(entity.id, q.trim()),
  });
  const params = { path: { id: entity.id } };
  const from = [...chosen];
  const settle = () => void client.invalidateQueries({ queryKey: ["kg"] });
  const merge = useMutation({
    mutationFn: () => dataOf(api.POST("/api/kg/entities/{id}/merge", { params, body: { from } })),
    onSuccess: () => {
      settle();
      announce(t("graph.merged_now", { count: from.length, name: entity.name }), () => {
        void api.POST("/api/kg/entities/{id}/unmerge", { params, body: { from } }).then(settle);
      });
      onClose();
    },
  });
  const toggle = (id: string) => (on: boolean) =>
    setChosen((before) => new Set(on ? [...before, id] : [...before].filter((other) => other !== id)));
  return (
    <Modal title={t("graph.merge_into", { name: entity.name })} isOpen onClose={onClose}>
      <p>{t("graph.merge_help")}</p>
      {merge.isError && <ProblemNotice problem={merge.error} />}
      <TextField label={t("graph.search")} value={q} onChange={setQ} autoFocus />
      {candidates.isPending && <SkeletonRows count={3} />}
      {candidates.isError && <ProblemNotice problem={candidates.error} onRetry={() => void candidates.refetch()} />}
      {candidates.data?.length === 0 && <EmptyState text={q ? t("list.no_matches") : t("graph.no_twins")} />}
      <ul className={styles.candidates}>
        {candidates.data?.map(({ entity: other, reasons }) => (
          <li key={other.id}>
            <div className={styles.candidate}>
              <Checkbox isSelected={chosen.has(other.id)} onChange={toggle(other.id)}>
                {other.name}
              </Checkbox>
              <TypeMark type={other.type} />
            </div>
            <p className={styles.said} dir="auto">
              {reasons.map((reason) => t(`graph.twin_${reason}`)).join(", ") || other.mentions[0]?.snippet}
            </p>
          </li>
        ))}
      </ul>
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          {t("action.cancel")}
        </Button>
        <Button kind="primary" isDisabled={chosen.size === 0} isPending={merge.isPending} onPress={() => merge.mutate()}>
          {t("graph.merge_count", { count: chosen.size })}
        </Button>
      </Actions>
    </Modal>
  );
}

async function loadCandidates(id: string, q: string): Promise<Candidate[]> {
  if (q) {
    const page = await loadEntities({ q, types: TYPES, scope: "team" }, {});
    return page.items.filter((other) => other.id !== id).map((other) => ({ entity: other, reasons: [] }));
  }
  const twins = await dataOf(api.GET("/api/kg/entities/{id}/similar", { params: { path: { id } } }));
  return twins.items.map((twin) => ({ entity: twin, reasons: twin.reasons }));
}
