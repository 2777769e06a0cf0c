import { ShieldOff } from "lucide-react";
import { useState } from "react";

import { api } from "../api/client";
import { useText } from "../i18n/texts";
import { useIdentity, useMay } from "../session/identity";
import { RowAction } from "../ui/RowAction";
import { useAnnounce } from "../ui/Toasts";
import { Revoke } from "../ui/Revoke";

/** For an operator: lets somebody in again who has lost their phone and their recovery codes. */
export function ResetTwoFactor({ userId, name }: { userId: string; name: string }) {
  const t = useText();
  const may = useMay();
  const announce = useAnnounce();
  const { user } = useIdentity();
  const [asks, setAsks] = useState(false);
  if (!may("instance:manage") || userId === user.id) return null;
  return (
    <>
      <RowAction icon={ShieldOff} name={t("account.two_factor_off")} of={name} onPress={() => setAsks(true)} />
      {asks && (
        <Revoke
          action={t("account.two_factor_off")}
          text={t("instance.two_factor_reset_help", { name })}
          onClose={() => setAsks(false)}
          onRevoke={async () => {
            await api.DELETE("/api/admin/users/{id}/2fa", { params: { path: { id: userId } } });
            announce(t("account.two_factor_turned_off"));
          }}
        />
      )}
    </>
  );
}
