import { useMutation } from "@tanstack/react-query";
import { Suspense, useId, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import type { Addition, Arriving, EntryParts, SignedIn } from "@guildhall/console/screens/entry";
import { sessions } from "@guildhall/console/session/store";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { Form } from "@guildhall/console/ui/Form";
import { PasswordField } from "@guildhall/console/ui/PasswordField";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { EntryPage } from "./EntryPage";
import styles from "./EntryPage.module.css";
import { Forgot } from "./Forgot";

type Step = "password" | "totp" | "recovery" | "forgot";

const WANTS_CODE = new Set(["totp_required", "totp_invalid"]);

/** Why nobody was signed in, as the server would say it. */
const problemOf = (code: string) => new Problem({ title: "", status: 403, detail: code, code });

/** Name and password first; who has a second factor is asked for it next, on a page of its own. */
export default function SignIn({ parts }: { parts: readonly EntryParts[] }) {
  const t = useText();
  const stayHelp = useId();
  const [step, setStep] = useState<Step>("password");
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [kept, setKept] = useState(false);
  const [addition, setAddition] = useState<Addition | null>(null);
  const [wanted, setWanted] = useState<Problem | null>(null);
  const refusal = parts.find((part) => part.refusal)?.refusal;
  const proves = parts.find((part) => part.proves)?.proves;
  const login = { username, password, ...addition?.body, ...proves };
  const signIn = useMutation({
    mutationFn: async (other: (() => Promise<SignedIn>) | null) => {
      if (other) return other();
      const second = step === "totp" ? { totp: code.replaceAll(" ", "") } : step === "recovery" ? { recovery_code: code.trim() } : {};
      return dataOf(api.POST("/api/login", { body: { ...login, ...second } }));
    },
    onSuccess: (signedIn) => sessions.begin({ token: signedIn.token, expiresAt: signedIn.expires_at, kept }),
    onError: (cause) => {
      setCode("");
      if (step !== "password" || !(cause instanceof Problem) || !WANTS_CODE.has(cause.code)) return;
      change("totp");
      setWanted(cause);
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
  const arriving: Arriving = { username, login, isPending: signIn.isPending, addition, onAdd: setAddition, onSignIn: (call) => signIn.mutate(call), wanted };
  const title = step === "password" ? (addition?.title ?? t("entry.sign_in")) : step === "totp" ? t("entry.totp_title") : t("entry.recovery_title");
  return (
    <EntryPage title={title}>
      <Form name="sign-in" onSubmit={() => signIn.mutate(null)}>
        {refusal && !error && <ProblemNotice problem={problemOf(refusal)} />}
        {error && <ProblemNotice problem={isWrong ? new Problem({ ...error.body, code: "wrong_login" }) : error} />}
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
            {!proves && <Suspense>{parts.map(({ ways: Ways }, at) => Ways && <Ways key={at} {...arriving} />)}</Suspense>}
            <Button kind="quiet" onPress={() => change("forgot")}>
              {t("entry.forgot")}
            </Button>
          </>
        ) : (
          <>
            <Suspense>{parts.map(({ factor: Factor }, at) => Factor && <Factor key={at} {...arriving} />)}</Suspense>
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
