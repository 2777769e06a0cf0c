import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Select } from "@guildhall/console/ui/Select";
import { ShownOnceDialog } from "@guildhall/console/ui/ShownOnceDialog";
import { TextField } from "@guildhall/console/ui/TextField";
import { lifetimeOptions, NEVER, secondsOf } from "@guildhall/console/ui/lifetimes";
import { PermissionChoice } from "@guildhall/console/ui/PermissionChoice";
import { SnippetList } from "./SnippetList";

/** Makes an access key; its secret is shown once, in the words of the programs that take it. */
export function NewS3Key({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const t = useText();
  const [prefix, setPrefix] = useState("");
  const [lifetime, setLifetime] = useState(NEVER);
  const [permissions, setPermissions] = useState<string[] | null>(null);
  const make = useMutation({
    mutationFn: () => {
      const scope = { ...(prefix && { prefix }), ...(permissions && { permissions: permissions as never[] }) };
      const narrowed = Object.keys(scope).length > 0 ? { scope } : {};
      return dataOf(api.POST("/api/s3/credentials", { body: { ttl: secondsOf(lifetime), ...narrowed } }));
    },
    onSuccess: onMade,
  });
  if (make.isSuccess) {
    const { access_key_id: keyId, secret_access_key: secret } = make.data;
    return (
      <ShownOnceDialog title={t("s3.made")} values={{ [t("s3.access_key")]: keyId, [t("s3.secret_key")]: secret }} onClose={onClose}>
        <SnippetList place={make.data} keyId={keyId} secret={secret} />
      </ShownOnceDialog>
    );
  }
  const fault = (pointer: string) => (make.error instanceof Problem ? make.error.at(pointer) : undefined);
  return (
    <FormDialog title={t("s3.new")} name="new-s3-key" submit={t("s3.make")} sending={make} isDisabled={permissions?.length === 0} onClose={onClose}>
      <TextField label={t("s3.prefix")} value={prefix} onChange={setPrefix} help={t("s3.prefix_help")} fault={fault("/scope/prefix")} autoFocus />
      <Select label={t("tokens.lifetime")} options={lifetimeOptions(t)} value={lifetime} onChange={setLifetime} />
      <PermissionChoice value={permissions} onChange={setPermissions} />
    </FormDialog>
  );
}
