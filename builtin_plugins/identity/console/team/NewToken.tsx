import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { ShownOnce } from "@guildhall/console/ui/ShownOnce";
import { TextField } from "@guildhall/console/ui/TextField";
import { DEFAULT_LIFETIME, lifetimeOptions, secondsOf } from "@guildhall/console/ui/lifetimes";
import { PermissionChoice } from "@guildhall/console/ui/PermissionChoice";
import styles from "./Team.module.css";

export function NewToken({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const t = useText();
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState(DEFAULT_LIFETIME);
  const [scope, setScope] = useState<string[] | null>(null);
  const make = useMutation({
    mutationFn: () => {
      const narrowed = scope === null ? {} : { scope: scope as never[] };
      return dataOf(api.POST("/api/tokens", { body: { name, ttl: secondsOf(lifetime), ...narrowed } }));
    },
    onSuccess: onMade,
  });
  if (make.isSuccess) {
    return (
      <Modal title={t("tokens.made", { name })} isOpen isShownOnce onClose={onClose}>
        <p>{t("tokens.shown_once")}</p>
        <ShownOnce label={t("tokens.token")} value={make.data.token} />
        <p className={styles.text}>{t("tokens.how")}</p>
        <pre className={styles.snippet}>{`curl -H "Authorization: Bearer $TOKEN" \\\n  ${location.origin}/api/whoami`}</pre>
        <Actions>
          <Button kind="primary" onPress={onClose}>
            {t("action.close")}
          </Button>
        </Actions>
      </Modal>
    );
  }
  const fault = (pointer: string) => (make.error instanceof Problem ? make.error.at(pointer) : undefined);
  return (
    <Modal title={t("tokens.new")} isOpen onClose={onClose}>
      <Form name="new-token" onSubmit={() => make.mutate()}>
        {make.isError && <ProblemNotice problem={make.error} />}
        <TextField label={t("tokens.name")} isRequired value={name} onChange={setName} fault={fault("/name")} autoFocus />
        <Select label={t("tokens.lifetime")} options={lifetimeOptions(t)} value={lifetime} onChange={setLifetime} fault={fault("/ttl")} />
        <PermissionChoice value={scope} onChange={setScope} />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="primary" type="submit" isPending={make.isPending} isDisabled={scope?.length === 0}>
            {t("tokens.make")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
