import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import styles from "./Account.module.css";
import { ConfirmFactor, type Enrolment } from "./ConfirmFactor";
import { RecoveryCodes } from "./RecoveryCodes";

type Ask = "disable" | "renew";

/** The second factor: on in two steps, off, and new recovery codes; the server asks who is there before each. */
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
  const enable = useMutation({
    mutationFn: () => dataOf(api.POST("/api/2fa/enable", { body: { confirm: true } })),
    onSuccess: setEnrolment,
  });
  // Of a server without passkeys, which has no such row, nobody hears of them.
  const passkeys = useQuery({
    queryKey: ["passkeys", "any"],
    queryFn: async () => ((await callRow({ method: "GET", path: "/api/passkeys?limit=1" })) as { items: unknown[] }).items.length > 0,
    enabled: !isOn,
    retry: false,
  });
  const byPasskeys = useMutation({
    mutationFn: () => dataOf(api.POST("/api/2fa/passkeys", { body: {} })),
    onSuccess: ({ recovery_codes }) => {
      setEnrolment(null);
      setCodes(recovery_codes);
      announce(t("account.two_factor_turned_on"));
      refetch();
    },
  });
  async function act(what: Ask) {
    if (what === "renew") setCodes((await dataOf(api.POST("/api/2fa/recovery-codes", { body: {} }))).recovery_codes);
    else {
      await api.DELETE("/api/2fa", { body: {} });
      setEnrolment(null);
      setCodes(null);
      announce(t("account.two_factor_turned_off"));
    }
    refetch();
  }
  const words: Record<Ask, { title: string; text: string }> = {
    disable: { title: t("account.two_factor_off"), text: t("account.two_factor_off_text") },
    renew: { title: t("account.recovery_renew"), text: t("account.recovery_renew_text") },
  };
  return (
    <Panel title={t("account.two_factor")} actions={<StateMark state={isOn ? "on" : "off"} />}>
      {!isOn && <p className={styles.note}>{t("account.two_factor_help")}</p>}
      {enable.isError && <ProblemNotice problem={enable.error} />}
      {byPasskeys.isError && <ProblemNotice problem={byPasskeys.error} />}
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
            <Button onPress={() => setAsk("renew")}>{words.renew.title}</Button>
            <Button onPress={() => setAsk("disable")}>{words.disable.title}</Button>
          </>
        ) : (
          !enrolment && (
            <>
              <Button kind="primary" isPending={enable.isPending} onPress={() => enable.mutate()}>
                {t("account.two_factor_on")}
              </Button>
              {passkeys.data && (
                <Button isPending={byPasskeys.isPending} onPress={() => byPasskeys.mutate()}>
                  {t("account.two_factor_by_passkeys")}
                </Button>
              )}
              {passkeys.data === false && <span className={styles.note}>{t("account.two_factor_no_passkey")}</span>}
            </>
          )
        )}
      </div>
      {ask && <Revoke text={words[ask].text} action={words[ask].title} onClose={() => setAsk(null)} onRevoke={() => act(ask)} />}
    </Panel>
  );
}
