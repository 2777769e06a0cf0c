import { useMutation, useQueryClient } from "@tanstack/react-query";
import { User, Users, X } from "lucide-react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { objectKey, type StoredObject } from "../objects";
import styles from "./Document.module.css";
import { grantsKey, type Grant } from "./grantsQuery";

/** Who was given what, until when; each can be taken back, and given again by "Undo". */
export function GrantList({ object, grants }: { object: StoredObject; grants: readonly Grant[] }) {
  const { t, locale } = useTexts();
  const client = useQueryClient();
  const announce = useAnnounce();
  const params = { path: { id: object.id } };
  const unshare = useMutation({
    mutationFn: ({ principal_type, principal_id }: Grant) =>
      dataOf(api.POST("/api/repo-obj/{id}/unshare", { params, body: { principal_type, principal_id } })),
    onSuccess: (left, grant) => {
      client.setQueryData(grantsKey(object.id), left);
      void client.invalidateQueries({ queryKey: objectKey(object.id) });
      announce(t("share.stopped", { name: grant.name }), () => void giveBack(grant));
    },
  });
  async function giveBack({ principal_type, principal_id, capability, expires_at }: Grant) {
    const body = { principal_type, principal_id, capability, expires_at };
    client.setQueryData(grantsKey(object.id), await dataOf(api.POST("/api/repo-obj/{id}/share", { params, body })));
  }
  const until = ({ expires_at, expired }: Grant) =>
    expired
      ? t("state.expired")
      : expires_at && `${t("share.until")} ${new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(new Date(expires_at))}`;
  return (
    <>
      {unshare.isError && <ProblemNotice problem={unshare.error} />}
      <ul className={styles.plainList} aria-label={t("files.shared_with")}>
        {grants.map((grant) => {
          const Icon = grant.principal_type === "team" ? Users : User;
          return (
            <li key={`${grant.principal_type}.${grant.principal_id}`} className={styles.grant}>
              <Icon size={16} aria-hidden="true" />
              <span className={styles.grantName} dir="auto">
                {grant.name}
              </span>
              <span className={styles.quiet}>{[t(`share.${grant.capability}`), until(grant)].filter(Boolean).join(" · ")}</span>
              <Button kind="quiet" aria-label={`${t("share.unshare")}: ${grant.name}`} onPress={() => unshare.mutate(grant)}>
                <X size={16} />
              </Button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
