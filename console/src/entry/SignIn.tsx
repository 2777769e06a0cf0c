import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { answerPasskey, canUsePasskeys, isPasskeyFailure } from "@guildhall/console/session/passkey";
import { sessions } from "@guildhall/console/session/store";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { Form } from "@guildhall/console/ui/Form";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { problemOf, type Offered } from "./offered";
import { EntryPage } from "./EntryPage";
import styles from "./EntryPage.module.css";
import { Forgot } from "./Forgot";
import { WaysIn } from "./WaysIn";
import { PasswordField } from "@guildhall/console/ui/PasswordField";

type Step = "password" | "totp" | "recovery" | "forgot";

const WANTS_CODE = new Set(["totp_required", "totp_invalid"]);

const BY_PASSKEY = "/api/login/passkey";

interface SignedIn {
  token: string;
  expires_at: string;
}

/** Name and password first; who has a second factor is asked for it next, on a page of its own. */
export function SignIn({ refusal = null }: { refusal?: string | null }) {
  const t = useText();
  const stayHelp = useId();
  const [step, setStep] = useState<Step>("password");
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [kept, setKept] = useState(false);
  const [way, setWay] = useState<Offered | null>(null);
  // What was proved elsewhere becomes this person's once they prove by their password who they are.
  const isLinking = refusal === "link_required";
  // Of a person with passkeys, once the password was right.
  const [options, setOptions] = useState<unknown>(null);
  const signIn = useMutation({
    mutationFn: async (how: "typed" | "passkey" | "passkey alone" = "typed") => {
      if (how === "passkey alone") {
        const asked = await callRow({ method: "POST", path: `${BY_PASSKEY}/options`, body: {} });
        return (await callRow({ method: "POST", path: `${BY_PASSKEY}/verify`, body: { credential: await answerPasskey(asked) } })) as SignedIn;
      }
      if (how === "passkey") {
        const body = { username, password, passkey: await answerPasskey(options) };
        return (await callRow({ method: "POST", path: "/api/login", body })) as SignedIn;
      }
      const second = step === "totp" ? { totp: code.replaceAll(" ", "") } : step === "recovery" ? { recovery_code: code.trim() } : {};
      return dataOf(api.POST("/api/login", { body: { username, password, ...second, ...(way && { way: way.id }), ...(isLinking && { link: true }) } }));
    },
    onSuccess: (signedIn) => sessions.begin({ token: signedIn.token, expiresAt: signedIn.expires_at, kept }),
    onError: (cause) => {
      setCode("");
      if (cause instanceof Problem && cause.body.passkey) setOptions(cause.body.passkey);
      if (step === "password" && cause instanceof Problem && WANTS_CODE.has(cause.code)) change("totp");
    },
  });

  function change(to: Step) {
    setStep(to);
    setCode("");
    signIn.reset();
  }

  if (step === "forgot") return <Forgot onBack={() => change("password")} />;
  const { error } = signIn;
  // Here a 401 is about what was typed, and not about a session that ended.
  const isWrong = error instanceof Problem && error.code === "unauthenticated";
  const hasFailed = isPasskeyFailure(error);
  const title = step === "password" ? (way ? t("entry.with", { label: way.label }) : t("entry.sign_in")) : step === "totp" ? t("entry.totp_title") : t("entry.recovery_title");
  return (
    <EntryPage title={title}>
      <Form name="sign-in" onSubmit={() => signIn.mutate("typed")}>
        {hasFailed && <p role="alert">{t("account.passkey_failed")}</p>}
        {refusal && !error && <ProblemNotice problem={problemOf(refusal)} />}
        {error && !hasFailed && <ProblemNotice problem={isWrong ? new Problem({ ...error.body, code: "wrong_login" }) : error} />}
        {step === "password" ? (
          <>
            <TextField label={t("entry.username")} name="username" autoComplete="username" isRequired value={username} onChange={setUsername} autoFocus />
            <PasswordField label={t("entry.password")} kind="current" value={password} onChange={setPassword} />
            <div className={styles.stay}>
              <Checkbox isSelected={kept} onChange={setKept} aria-describedby={stayHelp}>
                {t("entry.stay_signed_in")}
              </Checkbox>
              <p id={stayHelp} className={styles.help}>
                {t("entry.stay_help")}
              </p>
            </div>
          </>
        ) : (
          <TextField
            key={step}
            label={step === "totp" ? t("entry.totp_code") : t("entry.recovery_code")}
            name="code"
            autoComplete="one-time-code"
            inputMode={step === "totp" ? "numeric" : "text"}
            isRequired
            value={code}
            onChange={setCode}
            autoFocus
          />
        )}
        <Button kind="primary" type="submit" isPending={signIn.isPending}>
          {t("entry.sign_in")}
        </Button>
        {step === "password" ? (
          <>
            {canUsePasskeys() && !isLinking && (
              <Button isDisabled={signIn.isPending} onPress={() => signIn.mutate("passkey alone")}>
                {t("entry.use_passkey")}
              </Button>
            )}
            {!isLinking && <WaysIn username={username} chosen={way?.id ?? null} onChoose={setWay} />}
            <Button kind="quiet" onPress={() => change("forgot")}>
              {t("entry.forgot")}
            </Button>
          </>
        ) : (
          <>
            {options !== null && canUsePasskeys() && (
              <Button isDisabled={signIn.isPending} onPress={() => signIn.mutate("passkey")}>
                {t("account.use_passkey")}
              </Button>
            )}
            <Button kind="quiet" onPress={() => change(step === "totp" ? "recovery" : "totp")}>
              {step === "totp" ? t("entry.use_recovery") : t("entry.use_totp")}
            </Button>
            <Button kind="quiet" onPress={() => change("password")}>
              {t("action.back")}
            </Button>
          </>
        )}
      </Form>
    </EntryPage>
  );
}
