import { useId } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { ActionMenu } from "@guildhall/console/ui/ActionMenu";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { languageName } from "./languages";
import { MarkedText } from "./MarkedText";
import styles from "./Translate.module.css";
import type { Translation } from "./useTranslation";

export interface ResultPaneProps {
  result: Translation | null;
  isPending: boolean;
  /** The text beside it is another one by now. */
  isStale: boolean;
  onRemove: () => void;
}

/** The translation, with the words of the glossary that stand in it. */
export function ResultPane({ result, isPending, isStale, onRemove }: ResultPaneProps) {
  const { t, locale } = useTexts();
  const id = useId();
  return (
    <div className={styles.pane}>
      <span id={id} className={styles.label}>
        {t("translate.result")}
      </span>
      <div className={styles.box} data-result="">
        <div className={styles.result} dir="auto" lang={result?.target} role="region" tabIndex={0} aria-labelledby={id} aria-busy={isPending}>
          {isPending ? (
            <StateMark state="running" text={t("chat.thinking")} />
          ) : result ? (
            <MarkedText text={result.text} uses={result.glossary} side="translation" />
          ) : (
            <span className={styles.empty}>{t("translate.result_empty")}</span>
          )}
        </div>
      </div>
      <div className={styles.foot}>
        {result && (
          <>
            {result.source && <span>{t("translate.detected", { language: languageName(result.source, locale) })}</span>}
            {isStale && <span>{t("translate.stale")}</span>}
            <span>{result.model}</span>
            {result.usage && (
              <span title={t("chat.usage_detail", { prompt: result.usage.prompt_tokens, completion: result.usage.completion_tokens })}>
                {t("chat.tokens", { count: result.usage.total_tokens })}
              </span>
            )}
            <span className={styles.push} />
            <span className={styles.acts}>
              <CopyButton text={result.text} name={t("translate.result")} />
              <ActionMenu
                of={t("translate.result")}
                actions={[{ id: "remove", name: t("translate.history_remove"), isDangerous: true, onAction: onRemove }]}
              />
            </span>
          </>
        )}
      </div>
    </div>
  );
}
