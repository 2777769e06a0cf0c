import { useMutation } from "@tanstack/react-query";
import { Download, FileUp, Languages } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { Button } from "@guildhall/console/ui/Button";
import { downloadText } from "@guildhall/console/ui/download";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { FileButton } from "@guildhall/console/ui/FileButton";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { Select } from "@guildhall/console/ui/Select";
import { filenameFor, messagesOf, readCatalog, withMessages, type Messages } from "./catalog";
import styles from "./Catalog.module.css";
import { CatalogTable } from "./CatalogTable";
import { languageOptions } from "./languages";
import shared from "./Translate.module.css";

interface Chosen {
  filename: string;
  catalog: unknown;
  messages: Messages | null;
}

/** A file of messages in another language: chosen here, looked at, and taken home. */
export function CatalogScreen() {
  const { t, locale } = useTexts();
  const { config } = useInstance();
  const [filters, setFilters] = useFilters();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const target = filters.to ?? config.localization.locales.find(({ code }) => code !== locale)?.code ?? "en";
  const options = useMemo(() => languageOptions(locale, [target]), [locale, target]);
  const translate = useMutation({
    mutationFn: (messages: Messages) => dataOf(api.POST("/api/translate/catalog", { body: { target, messages } })),
  });
  const messages = chosen?.messages ?? null;
  const submit = () => messages && translate.mutate(messages);
  async function choose(file: File) {
    const catalog = readCatalog(await file.text());
    translate.reset();
    setChosen({ filename: file.name, catalog, messages: messagesOf(catalog) });
  }
  function save() {
    if (!chosen || !translate.data) return;
    const translated = withMessages(chosen.catalog, translate.data.messages);
    downloadText(filenameFor(chosen.filename, translate.data.target), `${JSON.stringify(translated, null, 2)}\n`, "application/json");
  }
  const choice = (kind: "primary" | "plain") => (
    <FileButton kind={kind} label={t("translate.catalog_file")} accept=".json,application/json" onFile={(file) => void choose(file)}>
      <FileUp size={16} aria-hidden="true" />
      {t("action.choose_file")}
    </FileButton>
  );
  return (
    <>
      <PageHead title={t("translate.catalog")} text={t("translate.catalog_intro")}>
        <Link href="/translate">{t("translate.text")}</Link>
        {messages && (
          <Button kind="primary" isPending={translate.isPending} onPress={submit}>
            <Languages size={16} aria-hidden="true" />
            {t("translate.submit")}
          </Button>
        )}
      </PageHead>
      <div className={shared.bar}>
        <div className={shared.language}>
          <Select
            label={t("translate.to")}
            value={target}
            options={options}
            onChange={(tag) => {
              translate.reset();
              setFilters({ to: tag });
            }}
          />
        </div>
      </div>
      {!chosen && <EmptyState text={t("translate.catalog_empty")} action={choice("primary")} />}
      {chosen && (
        <div className={styles.chosen}>
          <div className={styles.words}>
            <bdi className={styles.file}>{chosen.filename}</bdi>
            {messages && <> · {t("translate.catalog_count", { count: Object.keys(messages).length })}</>}
          </div>
          {choice("plain")}
          {translate.data && (
            <Button onPress={save}>
              <Download size={16} aria-hidden="true" />
              {t("action.download")}
            </Button>
          )}
        </div>
      )}
      {chosen && !messages && (
        <p role="alert" className={styles.fault}>
          {t("translate.catalog_none")}
        </p>
      )}
      {translate.isError && <ProblemNotice problem={translate.error} onRetry={submit} />}
      {translate.data?.untranslated && <p className={styles.muted}>{t("translate.untranslated")}</p>}
      {messages && <CatalogTable messages={messages} translated={translate.data ?? null} />}
    </>
  );
}
