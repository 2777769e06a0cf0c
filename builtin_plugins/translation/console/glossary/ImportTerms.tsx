import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { useMemo, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { readTable } from "./readTable";
import { FileButton } from "@guildhall/console/ui/FileButton";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { ProgressBar } from "@guildhall/console/ui/ProgressBar";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { languageOptions } from "../translate/languages";
import styles from "./Glossary.module.css";

/** Adds the terms of a table, one after the other; where one is refused it goes on from there. */
export function ImportTerms({ target, onClose }: { target: string; onClose: () => void }) {
  const { t, locale } = useTexts();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [language, setLanguage] = useState(target);
  const [text, setText] = useState("");
  const [done, setDone] = useState(0);
  const options = useMemo(() => languageOptions(locale, [target]), [locale, target]);
  const rows = useMemo(() => readTable(text), [text]);
  const add = useMutation({
    mutationFn: async () => {
      for (const [index, [term = "", translation = "", note]] of [...rows.entries()].slice(done)) {
        await dataOf(api.POST("/api/glossary", { body: { target: language, term, translation, ...(note && { note }) } }));
        setDone(index + 1);
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["glossary"] }),
    onSuccess: () => {
      announce(t("glossary.imported", { count: rows.length }));
      onClose();
    },
  });
  const write = (typed: string) => {
    setText(typed);
    setDone(0);
    add.reset();
  };
  return (
    <Modal title={t("glossary.import")} isOpen onClose={onClose}>
      <Form name="import-terms" onSubmit={() => add.mutate()}>
        {add.isError && (
          <>
            <p role="alert">{t("glossary.import_stopped", { row: done + 1, term: rows[done]?.[0] ?? "" })}</p>
            <ProblemNotice problem={add.error} />
          </>
        )}
        <Select label={t("glossary.language")} value={language} options={options} onChange={setLanguage} />
        <TextField label={t("glossary.import_table")} isRequired help={t("glossary.import_help")} value={text} onChange={write} rows={8} isDisabled={add.isPending} autoFocus />
        {add.isPending && <ProgressBar label={t("glossary.import")} value={done / rows.length} />}
        <Actions>
          <span className={styles.apart}>
            <FileButton kind="quiet" label={t("glossary.import_table")} accept=".csv,.tsv,.txt,text/csv" onFile={(file) => void file.text().then(write)}>
              <FileUp size={16} aria-hidden="true" />
              {t("action.choose_file")}
            </FileButton>
          </span>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="primary" type="submit" isPending={add.isPending}>
            {t("glossary.import_add", { count: rows.length - done })}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
