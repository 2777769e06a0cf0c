import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { EntryPage } from "./EntryPage";

/** Has a link mailed to whoever has this name or address; what is said is the same where there is nobody. */
export function Forgot({ onBack }: { onBack: () => void }) {
  const t = useText();
  const [name, setName] = useState("");
  const ask = useMutation({
    mutationFn: () => callRow({ method: "POST", path: "/api/password/forgot", body: name.includes("@") ? { email: name.trim() } : { username: name.trim() } }),
  });
  return (
    <EntryPage title={t("entry.forgot_title")}>
      <Form name="forgot" onSubmit={() => ask.mutate()}>
        {ask.isError && <ProblemNotice problem={ask.error} />}
        {ask.isSuccess ? (
          <p role="status">{t("entry.forgot_done")}</p>
        ) : (
          <>
            <TextField label={t("entry.forgot_name")} name="username" autoComplete="username" isRequired value={name} onChange={setName} autoFocus />
            <Button kind="primary" type="submit" isPending={ask.isPending}>
              {t("entry.forgot_submit")}
            </Button>
          </>
        )}
        <Button kind="quiet" onPress={onBack}>
          {t("action.back")}
        </Button>
      </Form>
    </EntryPage>
  );
}
