import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { ShownOnce } from "@guildhall/console/ui/ShownOnce";
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
    return (
      <Modal title={t("tokens.made", { name })} isOpen isShownOnce onClose={onClose}>
        <p>{t("tokens.shown_once")}</p>
        <ShownOnce label={t("tokens.token")} value={make.data.token} />
        <ShownOnce label={t("scim.address")} value={make.data.url} />
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
    <Modal title={t("scim.new")} isOpen onClose={onClose}>
      <Form name="directory-token" onSubmit={() => make.mutate()}>
        {make.isError && <ProblemNotice problem={make.error} />}
        <TextField label={t("tokens.name")} isRequired value={name} onChange={setName} fault={fault("/name")} autoFocus />
        <Select label={t("tokens.lifetime")} options={lifetimeOptions(t)} value={lifetime} onChange={setLifetime} fault={fault("/ttl")} />
        <Actions onCancel={onClose}>
          <Button kind="primary" type="submit" isPending={make.isPending}>
            {t("tokens.make")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
