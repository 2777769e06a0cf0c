import { useMutation } from "@tanstack/react-query";
import { Suspense, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { ShownOnce } from "@guildhall/console/ui/ShownOnce";
import { TextField } from "@guildhall/console/ui/TextField";
import styles from "./Account.module.css";
import { RecoveryCodes } from "./RecoveryCodes";

const QrCode = lazyPart(() => import("./QrCode"));

export interface Enrolment {
  secret: string;
  otpauth_uri: string;
  recovery_codes: string[];
}

interface ConfirmFactorProps {
  enrolment: Enrolment;
  onConfirmed: () => void;
  onCancel: () => void;
}

/** The second step: it is on only when a code of the app was right, so that nobody locks themself out. */
export function ConfirmFactor({ enrolment, onConfirmed, onCancel }: ConfirmFactorProps) {
  const t = useText();
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: () => dataOf(api.POST("/api/2fa/confirm", { body: { code: code.replace(/\s/g, "") } })),
    onSuccess: onConfirmed,
  });
  const isWrong = confirm.error instanceof Problem && confirm.error.code === "totp_invalid";
  return (
    <>
      <p className={styles.note}>{t("account.two_factor_pending")}</p>
      <div className={styles.enrol}>
        <Suspense fallback={<span className={styles.code} />}>
          <QrCode text={enrolment.otpauth_uri} label={t("account.two_factor_scan")} />
        </Suspense>
        <div>
          <p>{t("account.two_factor_scan")}</p>
          <ShownOnce label={t("account.two_factor_type")} value={enrolment.secret} />
        </div>
      </div>
      <RecoveryCodes codes={enrolment.recovery_codes} />
      <Form name="confirm-factor" className={styles.form} onSubmit={() => confirm.mutate()}>
        {confirm.isError && !isWrong && <ProblemNotice problem={confirm.error} />}
        <TextField
          label={t("account.two_factor_code")}
          inputMode="numeric"
          autoComplete="one-time-code"
          isRequired
          maxLength={12}
          value={code}
          onChange={(typed) => {
            setCode(typed);
            if (confirm.isError) confirm.reset();
          }}
          {...(isWrong && { fault: t("account.two_factor_wrong_code") })}
        />
        <div className={styles.line}>
          <Button kind="primary" type="submit" isPending={confirm.isPending}>
            {t("account.two_factor_confirm")}
          </Button>
          <Button kind="quiet" onPress={onCancel}>
            {t("action.cancel")}
          </Button>
        </div>
      </Form>
    </>
  );
}
