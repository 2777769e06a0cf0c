import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Select } from "@guildhall/console/ui/Select";
import { ShownOnceDialog } from "@guildhall/console/ui/ShownOnceDialog";
import { TextField } from "@guildhall/console/ui/TextField";
import { lifetimeOptions, secondsOf } from "@guildhall/console/ui/lifetimes";

const YEAR = "365";

interface Made {
  token: string;
  url: string;
}

/** Makes the token of a directory, and shows it once with the address that belongs to it. */
export function NewToken({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const t = useText();
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState(YEAR);
  const make = useMutation({
    mutationFn: async () => (await callRow({ method: "POST", path: "/api/tokens", body: { kind: "scim", name, ttl: secondsOf(lifetime) } })) as Made,
    onSuccess: onMade,
  });
  if (make.isSuccess) {
    const { token, url } = make.data;
    return <ShownOnceDialog title={t("tokens.made", { name })} values={{ [t("tokens.token")]: token, [t("scim.address")]: url }} onClose={onClose} />;
  }
  const fault = (pointer: string) => (make.error instanceof Problem ? make.error.at(pointer) : undefined);
  return (
    <FormDialog title={t("scim.new")} name="directory-token" submit={t("tokens.make")} sending={make} onClose={onClose}>
      <TextField label={t("tokens.name")} isRequired value={name} onChange={setName} fault={fault("/name")} autoFocus />
      <Select label={t("tokens.lifetime")} options={lifetimeOptions(t)} value={lifetime} onChange={setLifetime} fault={fault("/ttl")} />
    </FormDialog>
  );
}
