import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { jsonFault } from "@guildhall/console/libs/pointers";
import { fromLocal } from "./jobWords";
import { useKindWords } from "./useKindWords";

/** Of the team's waiting jobs, higher goes first. */
const PRIORITIES = ["50", "0", "-50"] as const;
const WORDS = { "50": "high", "0": "usual", "-50": "low" };

interface NewJobProps {
  kinds: readonly string[];
  onClose: () => void;
  onMade: (id: string) => void;
}

/** Asks for work of one of the kinds that plugins bring; what goes in is JSON, as the kind wants it. */
export function NewJob({ kinds, onClose, onMade }: NewJobProps) {
  const t = useText();
  const client = useQueryClient();
  const [kind, setKind] = useState(kinds[0] ?? "");
  const [payload, setPayload] = useState("{}");
  const [priority, setPriority] = useState("0");
  const [notBefore, setNotBefore] = useState("");
  const [isTried, setTried] = useState(false);
  const kindWords = useKindWords();
  const runAt = fromLocal(notBefore);
  const make = useMutation({
    mutationFn: () => {
      const timed = { ...(runAt && { run_at: runAt }), ...(priority !== "0" && { priority: Number(priority) }) };
      return dataOf(api.POST("/api/jobs", { body: { kind, payload: JSON.parse(payload) as unknown, ...timed } }));
    },
    onSuccess: async (job) => {
      await client.invalidateQueries({ queryKey: ["jobs"] });
      onMade(job.id);
    },
  });
  const refused = make.error instanceof Problem ? make.error.at("/payload") : undefined;
  const faultAt = (pointer: string) => {
    const said = make.error instanceof Problem ? make.error.at(pointer) : undefined;
    return said ? { fault: said } : {};
  };
  const syntax = jsonFault(payload);
  const fault = isTried && syntax ? t("workflows.not_json", { line: syntax.line }) : refused;
  return (
    <Modal title={t("jobs.new")} isOpen onClose={onClose}>
      <Form
        name="new-job"
        onSubmit={() => {
          setTried(true);
          if (!syntax) make.mutate();
        }}
      >
        {make.isError && <ProblemNotice problem={make.error} />}
        <Select
          label={t("jobs.kind")}
          options={kinds.map((id) => ({ id, name: kindWords({ kind: id }) === id ? id : `${kindWords({ kind: id })} (${id})` }))}
          value={kind}
          onChange={setKind}
        />
        <TextField label={t("jobs.payload_new")} help={t("jobs.payload_help")} value={payload} onChange={setPayload} rows={6} {...(fault && { fault })} />
        <Select
          label={t("jobs.priority")}
          options={PRIORITIES.map((id) => ({ id, name: t(`jobs.priority_${WORDS[id]}`) }))}
          value={priority}
          onChange={setPriority}
        />
        <TextField label={t("jobs.not_before")} help={t("jobs.not_before_help")} type="datetime-local" value={notBefore} onChange={setNotBefore} {...faultAt("/run_at")} />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="primary" type="submit" isPending={make.isPending}>
            {t("jobs.make")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
