import { ArrowLeftRight, Languages } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, Route, Switch } from "wouter";

import { Problem } from "@guildhall/console/api/problem";
import { useDraft } from "@guildhall/console/drafts/useDraft";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useFilters } from "@guildhall/console/ui/query";
import { CatalogScreen } from "./CatalogScreen";
import { countCharacters } from "./characters";
import { GlossaryHits } from "./GlossaryHits";
import { History } from "./History";
import { languageOptions } from "./languages";
import { ResultPane } from "./ResultPane";
import { MAX_CHARACTERS, SourcePane } from "./SourcePane";
import styles from "./Translate.module.css";
import { useTranslation, type Translation } from "./useTranslation";

const DETECT = "detect";

export default function Translate() {
  return (
    <Switch>
      <Route path="/translate/catalog" component={CatalogScreen} />
      <Route component={TwoPanes} />
    </Switch>
  );
}

/** What is written, and what it is in another language. Which languages stands in the address. */
function TwoPanes() {
  const { t, locale } = useTexts();
  const { config } = useInstance();
  const announce = useAnnounce();
  const [filters, setFilters] = useFilters();
  const draft = useDraft("translate");
  const [text, setText] = useState(draft.found?.text ?? "");
  const { result, show, translate, remove, hidden, hide } = useTranslation();
  const source = filters.from ?? null;
  const target = filters.to ?? config.localization.locales.find(({ code }) => code !== locale)?.code ?? "en";
  const options = useMemo(() => languageOptions(locale, [source, target].filter((tag) => tag !== null)), [locale, source, target]);
  const isReady = text.trim() !== "" && countCharacters(text) <= MAX_CHARACTERS && !translate.isPending;
  const fault = translate.error instanceof Problem ? translate.error.at("/text") : undefined;

  function write(typed: string) {
    setText(typed);
    draft.keep(typed, null);
  }
  const submit = () => isReady && translate.mutate({ text, target, source });
  /** Puts something else in the place of what stands here, with a way back where something was typed. */
  function exchange(to: string, shown: Translation | null, languages: { from: string; to: string }) {
    const back = () => {
      write(text);
      show(result);
      setFilters({ from: source ?? "", to: target });
    };
    write(to);
    show(shown);
    setFilters(languages);
    if (text.trim() !== "" && text !== to) announce(t("translate.replaced"), back);
  }
  function swap() {
    const spoken = source ?? result?.source;
    if (spoken) exchange(result?.text ?? text, null, { from: target, to: spoken });
  }
  function takeUp(translation: Translation) {
    exchange(translation.sourceText, translation, { from: translation.source ?? "", to: translation.target });
    scrollTo({ top: 0 });
  }
  function forget(translation: Translation) {
    hide(translation.id, true);
    show(null);
    const back = () => {
      hide(translation.id, false);
      show(translation);
    };
    announce(t("translate.history_removed"), back, () => remove.mutate(translation.id));
  }
  return (
    <>
      <PageHead title={t("nav.translate")}>
        <Link href={`/translate/catalog?to=${encodeURIComponent(target)}`}>{t("translate.catalog")}</Link>
        <Button kind="primary" isDisabled={!isReady} isPending={translate.isPending} onPress={submit}>
          <Languages size={16} aria-hidden="true" />
          {t("translate.submit")}
        </Button>
      </PageHead>
      <div className={styles.bar}>
        <div className={styles.from}>
          <div className={styles.language}>
            <Select
              label={t("translate.from")}
              value={source ?? DETECT}
              options={[{ id: DETECT, name: t("translate.detect") }, ...options]}
              onChange={(tag) => setFilters({ from: tag === DETECT ? "" : tag })}
            />
          </div>
          <Button kind="quiet" aria-label={t("translate.swap")} isDisabled={!source && !result?.source} onPress={swap}>
            <ArrowLeftRight size={16} />
          </Button>
        </div>
        <div className={styles.language}>
          <Select label={t("translate.to")} value={target} options={options} onChange={(tag) => setFilters({ to: tag })} />
        </div>
      </div>
      <div className={styles.panes}>
        <SourcePane text={text} language={source} uses={result?.glossary ?? []} fault={fault} onChange={write} onSubmit={submit} />
        <ResultPane
          result={result}
          isPending={translate.isPending}
          isStale={result !== null && (result.sourceText !== text || result.target !== target)}
          onRemove={() => result && forget(result)}
        />
      </div>
      <div className={styles.notices}>
        {translate.isError && <ProblemNotice problem={translate.error} onRetry={submit} />}
        {remove.isError && <ProblemNotice problem={remove.error} />}
        {result?.untranslated && <p className={styles.note}>{t("translate.untranslated")}</p>}
        {result && <GlossaryHits result={result} />}
      </div>
      <History openId={result?.id ?? null} hidden={hidden} onOpen={takeUp} />
    </>
  );
}
