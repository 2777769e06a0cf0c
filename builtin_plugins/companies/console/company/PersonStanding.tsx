import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pause, Play, UserMinus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { useAnnounce } from "@guildhall/console/ui/Toasts";

interface PersonStandingProps {
  userId: string;
  username: string;
  name: string;
  status: string;
  onChanged: () => void;
}

/** Suspending somebody, which is undone as easily as done, and removing them from the company. */
export function PersonStanding({ userId, username, name, status, onChanged }: PersonStandingProps) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const params = { params: { path: { id: userId } } };
  const done = () => {
    onChanged();
    void client.invalidateQueries({ queryKey: ["members"] });
  };
  const resume = useMutation({
    mutationFn: () => dataOf(api.POST("/api/org/members/{id}/resume", params)),
    onSuccess: () => announce(t("company.person_resumed", { name })),
    onSettled: done,
  });
  const suspend = useMutation({
    mutationFn: () => dataOf(api.POST("/api/org/members/{id}/suspend", params)),
    onSuccess: () => announce(t("company.person_suspended", { name }), () => resume.mutate()),
    onSettled: done,
  });
  const problem = suspend.error ?? resume.error;
  return (
    <>
      {problem !== null && <ProblemNotice problem={problem} />}
      {status === "suspended" ? (
        <RowAction icon={Play} name={t("company.resume_person")} of={name} onPress={() => resume.mutate()} />
      ) : (
        <RowAction icon={Pause} name={t("company.suspend_person")} of={name} onPress={() => suspend.mutate()} />
      )}
      <RowAction icon={UserMinus} name={t("action.remove")} of={name} onPress={() => setRemoving(true)} />
      {isRemoving && (
        <ConfirmByName
          isOpen
          title={t("company.remove_person", { name })}
          text={t("company.remove_person_help")}
          name={username}
          action={t("action.remove")}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await api.DELETE("/api/org/members/{id}", params);
            announce(t("members.removed", { name }));
            done();
          }}
        />
      )}
    </>
  );
}
