import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { objectKey, type StoredObject } from "../objects";
import styles from "./Document.module.css";
import { GrantList } from "./GrantList";
import { grantsKey, useGrants } from "./grantsQuery";
import { useShareTargets } from "./people";

const CAPABILITIES = ["view", "edit", "manage"] as const;

/** Gives a person or a team of the company access to an object. */
export function ShareDialog({ object, onClose }: { object: StoredObject; onClose: () => void }) {
  const t = useText();
  const targets = useShareTargets();
  const grants = useGrants(object.id);
  return (
    <Modal title={t("share.title", { name: object.filename })} isOpen onClose={onClose}>
      {targets.isPending ? (
        <SkeletonRows count={3} />
      ) : targets.isLoadingError ? (
        <ProblemNotice problem={targets.error} onRetry={() => void targets.refetch()} />
      ) : (
        <ShareForm object={object} users={targets.data.users} teams={targets.data.teams} onClose={onClose}>
          {(grants.data?.items.length ?? 0) > 0 && <GrantList object={object} grants={grants.data?.items ?? []} />}
        </ShareForm>
      )}
    </Modal>
  );
}

interface ShareFormProps {
  object: StoredObject;
  users: readonly { id: string; username: string; display_name: string }[];
  teams: readonly { id: string; name: string }[];
  onClose: () => void;
  children: ReactNode;
}

function ShareForm({ object, users, teams, onClose, children }: ShareFormProps) {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const [holder, setHolder] = useState<string | null>(null);
  const [capability, setCapability] = useState<string>("view");
  const [until, setUntil] = useState("");
  const options = [
    ...users.filter(({ id }) => id !== object.owner.id).map(({ id, display_name, username }) => ({ id: `user:${id}`, name: `${display_name} (${username})` })),
    ...teams.map(({ id, name }) => ({ id: `team:${id}`, name: t("files.team_named", { name }) })),
  ];
  const share = useMutation({
    mutationFn: (to: string) => {
      const [principal_type, principal_id] = to.split(":") as ["user" | "team", string];
      // To the end of that day, where the person is.
      const end = until && new Date(`${until}T23:59:59`).toISOString();
      const body = { principal_type, principal_id, capability: capability as "view", ...(end && { expires_at: end }) };
      return dataOf(api.POST("/api/repo-obj/{id}/share", { params: { path: { id: object.id } }, body }));
    },
    onSuccess: (grants, to) => {
      client.setQueryData(grantsKey(object.id), grants);
      void client.invalidateQueries({ queryKey: objectKey(object.id) });
      void client.invalidateQueries({ queryKey: ["files"] });
      announce(t("share.done", { name: options.find(({ id }) => id === to)?.name ?? "" }));
      setHolder(null);
      setUntil("");
    },
  });
  const faultAt = (pointer: string) => (share.error instanceof Problem ? share.error.at(pointer) : undefined);
  const ofHolder = faultAt("/principal_id");
  const ofEnd = faultAt("/expires_at");
  return (
    <Form name="share-document" onSubmit={() => share.mutate(holder ?? "")}>
      {share.isError && <ProblemNotice problem={share.error} />}
      {object.visibility === "private" && <p className={styles.quiet}>{t("files.share_makes_shared")}</p>}
      <Select label={t("share.with")} isRequired value={holder} onChange={setHolder} options={options} placeholder={t("form.choose")} {...(ofHolder && { fault: ofHolder })} />
      <div className={styles.pick}>
        <Select
          label={t("share.capability")}
          value={capability}
          onChange={setCapability}
          options={CAPABILITIES.map((id) => ({ id, name: t(`share.${id}`) }))}
        />
        <TextField label={t("share.until")} type="date" value={until} onChange={setUntil} help={t("share.no_end_help")} {...(ofEnd && { fault: ofEnd })} />
      </div>
      {children}
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          {t("action.close")}
        </Button>
        <Button kind="primary" type="submit" isPending={share.isPending}>
          {t("action.share")}
        </Button>
      </Actions>
    </Form>
  );
}
