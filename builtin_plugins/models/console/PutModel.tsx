import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { priceOf, ROLES, switched, type Allowed, type NamedModel } from "./model";
import styles from "./Models.module.css";

interface PutModelProps {
  /** null for a new one. */
  model: NamedModel | null;
  onClose: () => void;
  onDone: () => void;
}

/** Names a model, or changes what is named. */
export function PutModel({ model, onClose, onDone }: PutModelProps) {
  const t = useText();
  const announce = useAnnounce();
  const [name, setName] = useState(model?.name ?? "");
  const [label, setLabel] = useState(model?.label ?? "");
  const [description, setDescription] = useState(model?.description ?? "");
  const [executor, setExecutor] = useState(model?.executor ?? "");
  const [asked, setAsked] = useState(model?.model ?? "");
  // Left as it is where nobody chose anew.
  const [allowed, setAllowed] = useState<Allowed | null>(model ? model.allowed : {});
  const [currency, setCurrency] = useState(model?.price?.currency ?? "");
  const [input, setInput] = useState(model?.price ? String(model.price.input_per_million) : "");
  const [output, setOutput] = useState(model?.price ? String(model.price.output_per_million) : "");
  const executors = useQuery({ queryKey: ["executors", "choice"], queryFn: () => dataOf(api.GET("/api/executors", { params: { query: { limit: 200 } } })) });
  const price = priceOf(currency, input, output);
  const put = useMutation({
    mutationFn: () =>
      dataOf(
        api.PUT("/api/models/{name}", {
          params: { path: { name: name.trim() } },
          body: {
            executor,
            model: asked.trim() || null,
            label: label.trim() || name.trim(),
            description,
            price: price ?? null,
            ...(allowed && { allowed: { roles: [...(allowed.roles ?? [])], teams: [...(allowed.teams ?? [])], users: [...(allowed.users ?? [])] } }),
          },
        }),
      ),
    onSuccess: () => {
      announce(t("state.saved"));
      onDone();
      onClose();
    },
  });
  const fault = (pointer: string) => (put.error instanceof Problem ? put.error.at(pointer) : undefined);
  const withFault = (words: string | undefined) => (words ? { fault: words } : {});
  const known = executors.data?.items.map(({ name: id, model: what }) => ({ id, name: what ? `${id} (${what})` : id })) ?? [];
  const options = executor && !known.some(({ id }) => id === executor) ? [...known, { id: executor, name: executor }] : known;
  return (
    <Modal title={model ? t("models.edit", { name: model.label }) : t("models.new")} isOpen onClose={onClose}>
      <Form
        name="model"
        onSubmit={() => {
          if (price !== undefined) put.mutate();
        }}
      >
        {put.isError && <ProblemNotice problem={put.error} />}
        {!model && <TextField label={t("list.name")} help={t("models.name_help")} value={name} onChange={setName} isRequired autoFocus {...withFault(fault("/name"))} />}
        <TextField label={t("models.label")} help={t("models.label_help")} value={label} onChange={setLabel} {...withFault(fault("/label"))} />
        <TextField label={t("models.description")} value={description} onChange={setDescription} rows={2} {...withFault(fault("/description"))} />
        <Select label={t("models.executor")} isRequired options={options} value={executor || null} onChange={setExecutor} {...withFault(fault("/executor"))} />
        <TextField label={t("models.asked")} help={t("models.asked_help")} value={asked} onChange={setAsked} {...withFault(fault("/model"))} />
        <Users allowed={allowed} onChange={setAllowed} />
        <div className={styles.price}>
          <TextField label={t("models.currency")} value={currency} onChange={setCurrency} {...withFault(price === undefined ? t("models.price_fault") : undefined)} />
          <TextField label={t("models.price_input")} inputMode="decimal" value={input} onChange={setInput} />
          <TextField label={t("models.price_output")} inputMode="decimal" value={output} onChange={setOutput} />
        </div>
        <Actions onCancel={onClose}>
          <Button kind="primary" type="submit" isPending={put.isPending}>
            {t("action.save")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}

/** Who may use a model: by roles, teams and people. */
function Users({ allowed, onChange }: { allowed: Allowed | null; onChange: (allowed: Allowed) => void }) {
  const t = useText();
  const teams = useQuery({ queryKey: ["org-teams", "choice"], queryFn: () => dataOf(api.GET("/api/org/teams", { params: { query: { limit: 200 } } })) });
  const people = useQuery({ queryKey: ["org-members", "choice"], queryFn: () => dataOf(api.GET("/api/org/members", { params: { query: { limit: 200 } } })) });
  const { roles = [], teams: chosen = [], users = [] } = allowed ?? {};
  const change = (part: Allowed) => onChange({ roles, teams: chosen, users, ...part });
  const nameOf = (id: string) => {
    const person = people.data?.items.find(({ user_id }) => user_id === id);
    return person ? person.display_name || person.username : id;
  };
  const others = (people.data?.items ?? []).filter(({ user_id }) => !users.includes(user_id)).map(({ user_id: id }) => ({ id, name: nameOf(id) }));
  return (
    <>
      {allowed === null && <p>{t("models.everybody_until")}</p>}
      <fieldset className={styles.users}>
        <legend>{t("models.roles")}</legend>
        {ROLES.map((role) => (
          <Checkbox key={role} isSelected={roles.includes(role)} onChange={(isIn) => change({ roles: switched(roles, role, isIn) })}>
            {t(`role.${role}`)}
          </Checkbox>
        ))}
      </fieldset>
      {(teams.data?.items.length ?? 0) > 0 && (
        <fieldset className={styles.users}>
          <legend>{t("models.teams")}</legend>
          {teams.data!.items.map(({ id, name }) => (
            <Checkbox key={id} isSelected={chosen.includes(id)} onChange={(isIn) => change({ teams: switched(chosen, id, isIn) })}>
              {name}
            </Checkbox>
          ))}
        </fieldset>
      )}
      {users.length > 0 && (
        <fieldset className={styles.users}>
          <legend>{t("models.people")}</legend>
          {users.map((id) => (
            <Checkbox key={id} isSelected onChange={() => change({ users: switched(users, id, false) })}>
              {nameOf(id)}
            </Checkbox>
          ))}
        </fieldset>
      )}
      {others.length > 0 && <Select label={t("models.add_person")} options={others} value={null} onChange={(id) => change({ users: switched(users, id, true) })} />}
    </>
  );
}
