import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { CONFIRM_PATH } from "../api/client";
import { Problem } from "../api/problem";
import { callRow } from "../api/rows";
import { useText } from "../i18n/texts";
import { Button } from "../ui/Button";
import { Form } from "../ui/Form";
import { Actions, Modal } from "../ui/Modal";
import { PasswordField } from "../ui/PasswordField";
import { ProblemNotice } from "../ui/ProblemNotice";
import { answerPasskey, canUsePasskeys, failed } from "./passkey";

const confirmSession = (body: object) => callRow({ method: "POST", path: CONFIRM_PATH, body });

/** Asks who is there once more: by the password, or by a passkey where the person has one. */
export default function ProofDialog({ onProven, onClose }: { onProven: () => void; onClose: () => void }) {
  const t = useText();
  const client = useQueryClient();
  const [password, setPassword] = useState("");
  const offered = useQuery({ queryKey: ["passkey-proof"], queryFn: passkeyOptions, enabled: canUsePasskeys(), retry: false, gcTime: 0 });
  const confirm = useMutation({
    // Options are good for some minutes, and once: others for each attempt.
    mutationFn: async (how: "password" | "passkey") =>
      confirmSession(how === "password" ? { password } : { passkey: await answerPasskey((await passkeyOptions()) ?? failed()) }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["whoami"] });
      onProven();
    },
  });
  const { error } = confirm;
  const isWrong = error instanceof Problem && error.code === "wrong_password";
  return (
    <Modal title={t("account.prove")} isOpen onClose={onClose}>
      <p>{t("account.prove_text")}</p>
      <Form name="proof" onSubmit={() => confirm.mutate("password")}>
        {error && !isWrong && <ProblemNotice problem={error} />}
        <PasswordField
          label={t("account.current_password")}
          kind="current"
          value={password}
          onChange={setPassword}
          fault={isWrong ? t("error.wrong_password") : undefined}
          autoFocus
        />
        <Actions onCancel={onClose}>
          {Boolean(offered.data) && (
            <Button isDisabled={confirm.isPending} onPress={() => confirm.mutate("passkey")}>
              {t("account.prove_by_passkey")}
            </Button>
          )}
          <Button kind="primary" type="submit" isPending={confirm.isPending}>
            {t("account.prove_submit")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}

/** The options for a passkey of this person, which come with the refusal of an empty proof; null where they have none. */
async function passkeyOptions(): Promise<unknown> {
  try {
    await confirmSession({});
    return null;
  } catch (cause) {
    if (cause instanceof Problem && cause.code === "reauthentication_required") return cause.body.passkey ?? null;
    throw cause;
  }
}
