import { useMutation } from "@tanstack/react-query";
import { KeyRound, Link } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { ShownOnce } from "@guildhall/console/ui/ShownOnce";
import { Time } from "@guildhall/console/ui/Time";

interface PersonLinkProps {
  userId: string;
  name: string;
  /** Somebody who is invited has no password yet; others set theirs anew. */
  isInvited: boolean;
}

/** Makes a link for somebody who lost theirs, or their password; it can be made again at any time. */
export function PersonLink({ userId, name, isInvited }: PersonLinkProps) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const make = useMutation({
    mutationFn: () => {
      const params = { params: { path: { id: userId } } };
      return dataOf(isInvited ? api.POST("/api/members/{id}/invitation", params) : api.POST("/api/members/{id}/password-reset", params));
    },
  });
  const close = () => {
    setOpen(false);
    make.reset();
  };
  const action = t(isInvited ? "members.new_link" : "members.reset_password");
  return (
    <>
      <RowAction icon={isInvited ? Link : KeyRound} name={action} of={name} onPress={() => setOpen(true)} />
      {isOpen && (
        <Modal title={`${action}: ${name}`} isOpen isShownOnce={make.isSuccess} onClose={close}>
          {make.isError && <ProblemNotice problem={make.error} />}
          {make.data ? (
            <>
              <p>{t("members.link_made", { name })}</p>
              <ShownOnce label={t("members.link")} value={make.data.url} />
              <p>
                {t("members.link_until")} <Time at={make.data.expires_at} />
              </p>
            </>
          ) : (
            <p>{t(isInvited ? "members.new_link_help" : "members.reset_help", { name })}</p>
          )}
          <Actions>
            <Button kind={make.isSuccess ? "primary" : "quiet"} onPress={close}>
              {t(make.isSuccess ? "action.close" : "action.cancel")}
            </Button>
            {!make.isSuccess && (
              <Button kind="primary" isPending={make.isPending} onPress={() => make.mutate()}>
                {t("members.make_link")}
              </Button>
            )}
          </Actions>
        </Modal>
      )}
    </>
  );
}
