import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { faultOfList } from "@guildhall/console/ui/faultWords";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { isType, TYPES, type Entity } from "./entities";

/** What people call it, what it is, and how else it is called. */
export function ChangeEntity({ entity, onClose }: { entity: Entity; onClose: () => void }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [name, setName] = useState(entity.name);
  const [type, setType] = useState(entity.type);
  const [aliases, setAliases] = useState(entity.aliases.join("\n"));
  const given = aliases.split("\n").map((alias) => alias.trim()).filter(Boolean);
  const change = useMutation({
    mutationFn: () => {
      const isSame = given.join("\n") === entity.aliases.join("\n");
      const body = { ...(name !== entity.name && { name }), ...(type !== entity.type && { type }), ...(!isSame && { aliases: given }) };
      return dataOf(api.PATCH("/api/kg/entities/{id}", { params: { path: { id: entity.id } }, body }));
    },
    onSuccess: () => {
      announce(t("state.saved"));
      void client.invalidateQueries({ queryKey: ["kg"] });
      onClose();
    },
  });
  const fault = (pointer: string) => {
    const said = change.error instanceof Problem ? change.error.at(pointer) : undefined;
    return said ? { fault: said } : {};
  };
  return (
    <FormDialog title={t("graph.change", { name: entity.name })} name="entity" submit={t("action.save_changes")} sending={change} onClose={onClose}>
      <TextField label={t("list.name")} isRequired value={name} onChange={setName} autoFocus {...fault("/name")} />
      <Select
        label={t("list.type")}
        options={TYPES.map((id) => ({ id, name: t(`graph.${id}`) }))}
        value={type}
        onChange={(id) => isType(id) && setType(id)}
      />
      <TextField label={t("graph.aliases")} help={t("form.one_per_line")} value={aliases} onChange={setAliases} rows={4} {...faultOfList(change.error, "/aliases", given)} />
    </FormDialog>
  );
}
