import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState, type ReactNode } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { PasswordField } from "@guildhall/console/ui/PasswordField";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { answerPasskey, canUsePasskeys, failed } from "./passkey";

interface Asked {
  go: () => void;
  leave: () => void;
}

const CONFIRM = { method: "POST", path: "/api/session/confirm" };

const wantsProof = (cause: unknown): cause is Problem => cause instanceof Problem && cause.code === "reauthentication_required";

/** For acts that want a fresh session: asks who is there once more where the server does, and then goes on. */
export function useProof(): { proven: <Result>(act: () => Promise<Result>) => Promise<Result>; proof: ReactNode } {
  const [asked, setAsked] = useState<Asked | null>(null);
  const proven = useCallback(async <Result,>(act: () => Promise<Result>): Promise<Result> => {
    try {
      return await act();
    } catch (cause) {
      if (!wantsProof(cause)) throw cause;
      await new Promise<void>((go, leave) => setAsked({ go, leave: () => leave(cause) }));
      return await act();
    }
  }, []);
  const close = (then: () => void) => {
    setAsked(null);
    then();
  };
  return { proven, proof: asked && <Proof onProven={() => close(asked.go)} onClose={() => close(asked.leave)} /> };
}

function Proof({ onProven, onClose }: { onProven: () => void; onClose: () => void }) {
  const t = useText();
  const client = useQueryClient();
  const [password, setPassword] = useState("");
  const confirm = useMutation({
    mutationFn: async (how: "password" | "passkey") =>
      callRow({ ...CONFIRM, body: how === "password" ? { password } : { passkey: await answerPasskey(await askedOptions()) } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["whoami"] });
      onProven();
    },
  });
  const { error } = confirm;
  const isWrong = error instanceof Problem && error.code === "wrong_password";
  return (
    <Modal title={t("passkeys.prove")} isOpen onClose={onClose}>
      <p>{t("passkeys.prove_text")}</p>
      <Form name="proof" onSubmit={() => confirm.mutate("password")}>
        {error && !isWrong && <ProblemNotice problem={error} />}
        <PasswordField label={t("account.current_password")} kind="current" value={password} onChange={setPassword} fault={isWrong ? t("error.wrong_password") : undefined} autoFocus />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          {canUsePasskeys() && (
            <Button isDisabled={confirm.isPending} onPress={() => confirm.mutate("passkey")}>
              {t("passkeys.use")}
            </Button>
          )}
          <Button kind="primary" type="submit" isPending={confirm.isPending}>
            {t("passkeys.prove_submit")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}

/** The options for a passkey of this person come with the refusal of an empty proof. */
async function askedOptions(): Promise<unknown> {
  try {
    await callRow({ ...CONFIRM, body: {} });
  } catch (cause) {
    if (wantsProof(cause) && cause.body.passkey) return cause.body.passkey;
    if (!wantsProof(cause)) throw cause;
  }
  return failed();
}
