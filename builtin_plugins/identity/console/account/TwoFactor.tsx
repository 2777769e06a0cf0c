import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import styles from "./Account.module.css";
import { ConfirmFactor, type Enrolment } from "./ConfirmFactor";
import { PasswordDialog } from "./PasswordDialog";
import { RecoveryCodes } from "./RecoveryCodes";

type Ask = "enable" | "disable" | "renew";

/** The second factor: on in two steps, off, and new recovery codes; each asks for the password. */
export function TwoFactor() {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { user } = useIdentity();
  const [ask, setAsk] = useState<Ask | null>(null);
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const isOn = user.two_factor;
  const left = useQuery({
    queryKey: ["recovery-codes", isOn],
    queryFn: () => dataOf(api.GET("/api/2fa/recovery-codes")),
    enabled: isOn,
  });
  const refetch = () => {
    void client.invalidateQueries({ queryKey: ["whoami"] });
    void client.invalidateQueries({ queryKey: ["recovery-codes"] });
  };
  const act = useMutation({
    mutationFn: async ({ what, password }: { what: Ask; password: string }) => {
      const body = { password };
      if (what === "enable") setEnrolment(await dataOf(api.POST("/api/2fa/enable", { body: { ...body, confirm: true } })));
      else if (what === "renew") setCodes((await dataOf(api.POST("/api/2fa/recovery-codes", { body }))).recovery_codes);
      else {
        await api.DELETE("/api/2fa", { body });
        setEnrolment(null);
        setCodes(null);
        announce(t("account.two_factor_turned_off"));
      }
    },
    onSuccess: refetch,
  });
  const titles: Record<Ask, string> = {
    enable: t("account.two_factor_on"),
    disable: t("account.two_factor_off"),
    renew: t("account.recovery_renew"),
  };
  return (
    <Panel title={t("account.two_factor")} actions={<StateMark state={isOn ? "on" : "off"} />}>
      {!isOn && <p className={styles.note}>{t("account.two_factor_help")}</p>}
      {enrolment && !isOn && (
        <ConfirmFactor
          enrolment={enrolment}
          onCancel={() => setEnrolment(null)}
          onConfirmed={() => {
            setEnrolment(null);
            announce(t("account.two_factor_turned_on"));
            refetch();
          }}
        />
      )}
      {codes && <RecoveryCodes codes={codes} />}
      <div className={styles.line}>
        {isOn ? (
          <>
            {left.data && <span className={styles.note}>{t("account.recovery_left", { count: left.data.unspent })}</span>}
            <Button onPress={() => setAsk("renew")}>{titles.renew}</Button>
            <Button onPress={() => setAsk("disable")}>{titles.disable}</Button>
          </>
        ) : (
          !enrolment && (
            <Button kind="primary" onPress={() => setAsk("enable")}>
              {titles.enable}
            </Button>
          )
        )}
      </div>
      {ask && (
        <PasswordDialog
          title={titles[ask]}
          isDangerous={ask === "disable"}
          onClose={() => setAsk(null)}
          onPassword={(password) => act.mutateAsync({ what: ask, password })}
        />
      )}
    </Panel>
  );
}
