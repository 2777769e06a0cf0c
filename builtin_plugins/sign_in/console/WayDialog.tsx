import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { entryOf, linesOf, LONG, NOBODY, readRules, ROLES, ruleLine, USUAL, type Kind, type Place, type Way } from "./way";

interface WayDialogProps {
  place: Place;
  kinds: Kind[];
  way: Way | null;
  onClose: () => void;
  onDone: (way: Way) => void;
}

/** Sets a way up, or changes it: the fields of its kind, and who comes in by it as what. */
export function WayDialog({ place, kinds, way, onClose, onDone }: WayDialogProps) {
  const { t, has } = useTexts();
  const { user } = useIdentity();
  const [kindName, setKind] = useState(way?.kind ?? kinds.find(({ name }) => name === USUAL)?.name ?? kinds[0]?.name ?? "");
  const kind = kinds.find(({ name }) => name === kindName);
  const [label, setLabel] = useState(way?.label ?? "");
  const [settings, setSettings] = useState<Record<string, string>>({});
  const [domains, setDomains] = useState((way?.domains ?? []).join(", "));
  const [role, setRole] = useState(way ? (way.default_role ?? NOBODY) : "member");
  const [rules, setRules] = useState((way?.rules ?? []).map(ruleLine).join("\n"));
  const [creates, setCreates] = useState(way?.create_people ?? true);
  const [isRequired, setRequired] = useState(way?.required ?? false);
  const read = readRules(rules);
  // A secret that was left empty stays what it is.
  const typed = Object.entries(settings).filter(([name, entry]) => entry.trim() !== "" || !kind?.secrets.includes(name));
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        ...(!way && { kind: kindName }),
        ...(label.trim() && { label: label.trim() }),
        ...Object.fromEntries(typed.map(([name, entry]) => [name, entry.trim() || null])),
        domains: linesOf(domains),
        default_role: role === NOBODY ? null : role,
        rules: read ?? [],
        create_people: creates,
        required: isRequired,
        // Whoever turns passwords off is the first who can still come in by one.
        ...(isRequired && { break_glass: way?.break_glass.length ? way.break_glass : [user.id] }),
      };
      const row = way ? { method: "PATCH", path: `${place.rows}/${way.id}` } : { method: "POST", path: place.rows };
      return (await callRow({ ...row, body })) as Way;
    },
    onSuccess: (saved) => {
      onDone(saved);
      onClose();
    },
  });
  const fault = (pointer: string) => {
    const words = save.error instanceof Problem ? save.error.at(pointer) : undefined;
    return words ? { fault: words } : {};
  };
  const nameOf = (name: string) => (has(`plugins.name_${name}`) ? t(`plugins.name_${name}`) : name);
  const fields = Object.entries(kind?.fields ?? {});
  return (
    <FormDialog title={way ? way.label : t("signin.new")} name="sign-in-way" submit={t("action.save")} sending={save} isDisabled={read === null} onClose={onClose}>
      {!way && kinds.length > 1 && (
        <Select label={t("signin.kind")} options={kinds.map(({ name }) => ({ id: name, name: nameOf(name) }))} value={kindName} onChange={setKind} />
      )}
      <TextField label={t("signin.label")} help={t("signin.label_help")} value={label} onChange={setLabel} autoFocus {...fault("/label")} />
      {fields.map(([name, field]) => {
        const isSecret = kind?.secrets.includes(name) ?? false;
        const isSet = way?.secrets_set.includes(name) ?? false;
        return (
          <TextField
            key={name}
            label={field.title ? t(field.title) : name}
            {...(isSecret && { type: "password", autoComplete: "off", help: t(isSet ? "signin.secret_set" : "signin.secret_help") })}
            isRequired={(kind?.required.includes(name) ?? false) && !isSet}
            {...((field.maxLength ?? 0) >= LONG && { rows: 4 })}
            value={settings[name] ?? entryOf(way, name)}
            onChange={(entry) => setSettings((all) => ({ ...all, [name]: entry }))}
            {...fault(`/${name}`)}
          />
        );
      })}
      <TextField label={t("signin.domains")} help={t("signin.domains_help")} value={domains} onChange={setDomains} {...fault("/domains/0")} />
      <Select
        label={t("signin.default_role")}
        options={[{ id: NOBODY, name: t("signin.nobody") }, ...ROLES.map((id) => ({ id, name: t(`role.${id}`) }))]}
        value={role}
        onChange={setRole}
      />
      <TextField label={t("signin.rules")} help={t("signin.rules_help")} rows={3} value={rules} onChange={setRules} {...(read === null && { fault: t("signin.rules_help") })} />
      <Checkbox isSelected={creates} onChange={setCreates}>
        {t("signin.create_people")}
      </Checkbox>
      <Checkbox isSelected={isRequired} onChange={setRequired}>
        {t("signin.require")}
      </Checkbox>
    </FormDialog>
  );
}
