import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { Facts } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { languageName, languageOptions } from "../translate/languages";
import styles from "./Glossary.module.css";
import type { Term } from "./terms";

export interface TermDialogProps {
  /** The term to look at or change, `new` for one that is not there yet, null while closed. */
  term: Term | "new" | null;
  /** The language that a new one is for. */
  target: string;
  onClose: () => void;
  onRemove: (term: Term) => void;
}

export function TermDialog({ term, target, onClose, onRemove }: TermDialogProps) {
  const { t } = useTexts();
  const may = useMay();
  const known = term === "new" ? null : term;
  const title = !may("settings:manage") ? t("glossary.term") : known ? t("glossary.edit") : t("glossary.add");
  return (
    <Modal title={title} isOpen={term !== null} onClose={onClose}>
      {may("settings:manage") ? (
        <TermForm known={known} target={target} onClose={onClose} onRemove={onRemove} />
      ) : (
        known && <TermFacts term={known} onClose={onClose} />
      )}
    </Modal>
  );
}

function TermFacts({ term, onClose }: { term: Term; onClose: () => void }) {
  const { t, locale } = useTexts();
  return (
    <>
      <Facts
        facts={[
          [t("glossary.term"), <bdi>{term.term}</bdi>],
          [t("glossary.translation"), <bdi>{term.translation}</bdi>],
          [t("glossary.language"), languageName(term.target, locale)],
          [t("glossary.note"), <bdi>{term.note ?? t("state.none")}</bdi>],
          [t("list.updated"), <Time at={term.updated_at} />],
        ]}
      />
      <Actions>
        <Button onPress={onClose}>{t("action.close")}</Button>
      </Actions>
    </>
  );
}

function TermForm({ known, target, onClose, onRemove }: Omit<TermDialogProps, "term"> & { known: Term | null }) {
  const { t, locale } = useTexts();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [language, setLanguage] = useState(known?.target ?? target);
  const [term, setTerm] = useState(known?.term ?? "");
  const [translation, setTranslation] = useState(known?.translation ?? "");
  const [note, setNote] = useState(known?.note ?? "");
  const options = useMemo(() => languageOptions(locale, [language]), [locale, language]);
  const save = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/glossary", { body: { target: language, term, translation, note: note.trim() === "" ? null : note } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["glossary"] });
      announce(t("state.saved"));
      onClose();
    },
  });
  const fault = (pointer: string) => {
    const found = save.error instanceof Problem ? save.error.at(pointer) : undefined;
    return found === undefined ? {} : { fault: found };
  };
  return (
    <Form name="term" onSubmit={() => save.mutate()}>
      {save.isError && <ProblemNotice problem={save.error} />}
      <Select label={t("glossary.language")} value={language} options={options} onChange={setLanguage} isDisabled={known !== null} {...fault("/target")} />
      {/* The term is what a change is known by: another one would be added beside it. */}
      <TextField label={t("glossary.term")} value={term} onChange={setTerm} isRequired isReadOnly={known !== null} maxLength={200} autoFocus={known === null} {...fault("/term")} />
      <TextField label={t("glossary.translation")} value={translation} onChange={setTranslation} isRequired maxLength={200} autoFocus={known !== null} {...fault("/translation")} />
      <TextField label={t("glossary.note")} help={t("glossary.note_help")} value={note} onChange={setNote} rows={3} maxLength={1_000} {...fault("/note")} />
      <Actions>
        {known && (
          <span className={styles.apart}>
            <Button kind="quiet" onPress={() => onRemove(known)}>
              {t("glossary.remove")}
            </Button>
          </span>
        )}
        <Button kind="quiet" onPress={onClose}>
          {t("action.cancel")}
        </Button>
        <Button kind="primary" type="submit" isPending={save.isPending}>
          {known ? t("action.save_changes") : t("glossary.add")}
        </Button>
      </Actions>
    </Form>
  );
}
