import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Select } from "@guildhall/console/ui/Select";
import { ShownOnceDialog } from "@guildhall/console/ui/ShownOnceDialog";
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
      <ShownOnceDialog title={t("tokens.made", { name })} values={{ [t("tokens.token")]: make.data.token }} onClose={onClose}>
        <p className={styles.text}>{t("tokens.how")}</p>
        <pre className={styles.snippet}>{`curl -H "Authorization: Bearer $TOKEN" \\\n  ${location.origin}/api/whoami`}</pre>
      </ShownOnceDialog>
    );
  }
  const fault = (pointer: string) => (make.error instanceof Problem ? make.error.at(pointer) : undefined);
  return (
    <FormDialog title={t("tokens.new")} name="new-token" submit={t("tokens.make")} sending={make} isDisabled={scope?.length === 0} onClose={onClose}>
      <TextField label={t("tokens.name")} isRequired value={name} onChange={setName} fault={fault("/name")} autoFocus />
      <Select label={t("tokens.lifetime")} options={lifetimeOptions(t)} value={lifetime} onChange={setLifetime} fault={fault("/ttl")} />
      <PermissionChoice value={scope} onChange={setScope} />
    </FormDialog>
  );
}
