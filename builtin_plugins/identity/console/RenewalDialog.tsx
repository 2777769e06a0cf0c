import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import styles from "@guildhall/console/ui/Dialog.module.css";
import { Form } from "@guildhall/console/ui/Form";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { useIdentity } from "@guildhall/console/session/identity";
import { sessions } from "@guildhall/console/session/store";

export default function RenewalDialog({ isOpen, onLeave }: { isOpen: boolean; onLeave: () => void }) {
  return (
    // Esc and a click beside it do nothing: what was typed waits behind this.
    <ModalOverlay isOpen={isOpen} isKeyboardDismissDisabled className={styles.overlay ?? ""}>
      <Modal className={styles.modal ?? ""}>
        <RenewalForm onLeave={onLeave} />
      </Modal>
    </ModalOverlay>
  );
}

function RenewalForm({ onLeave }: { onLeave: () => void }) {
  const t = useText();
  const client = useQueryClient();
  const { user, team } = useIdentity();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [isRecovering, setRecovering] = useState(false);
  const [wantsCode, setWantsCode] = useState(user.two_factor);
  const renewal = useMutation({
    mutationFn: () => {
      const second = !wantsCode ? {} : isRecovering ? { recovery_code: code.trim() } : { totp: code.replaceAll(" ", "") };
      return dataOf(api.POST("/api/login", { body: { username: user.username, password, team: team.id, ...second } }));
    },
    onSuccess: (signedIn) => {
      sessions.renew({ token: signedIn.token, expiresAt: signedIn.expires_at, kept: sessions.current?.kept ?? false });
      void client.invalidateQueries({ queryKey: ["whoami"] });
    },
    onError: (cause) => {
      setCode("");
      // Switched on since this page was opened, perhaps.
      if (cause instanceof Problem && cause.code === "totp_required") setWantsCode(true);
    },
  });
  const { error } = renewal;
  // Here a 401 is about what was typed, and not about the session that ended.
  const isWrong = error instanceof Problem && error.code === "unauthenticated";
  return (
    <Dialog className={styles.dialog ?? ""}>
      <Heading slot="title" level={2}>
        {t("entry.sign_in_title")}
      </Heading>
      <p>{t("entry.session_ended")}</p>
      <Form name="renewal" onSubmit={() => renewal.mutate()}>
        {error && <ProblemNotice problem={isWrong ? new Problem({ ...error.body, code: "wrong_login" }) : error} />}
        {/* For the browser's own store of passwords. */}
        <input type="hidden" name="username" autoComplete="username" value={user.username} />
        <TextField label={t("entry.password")} type="password" autoComplete="current-password" isRequired value={password} onChange={setPassword} autoFocus />
        {wantsCode && (
          <>
            <TextField
              label={isRecovering ? t("entry.recovery_code") : t("entry.totp_code")}
              autoComplete="one-time-code"
              inputMode={isRecovering ? "text" : "numeric"}
              isRequired
              value={code}
              onChange={setCode}
            />
            <Button kind="quiet" onPress={() => (setRecovering(!isRecovering), setCode(""))}>
              {isRecovering ? t("entry.use_totp") : t("entry.use_recovery")}
            </Button>
          </>
        )}
        <div className={styles.actions}>
          <Button kind="quiet" onPress={onLeave}>
            {t("entry.sign_out")}
          </Button>
          <Button kind="primary" type="submit" isPending={renewal.isPending}>
            {t("entry.sign_in")}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
