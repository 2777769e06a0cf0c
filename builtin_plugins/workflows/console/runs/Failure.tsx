import { CircleX } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";

import { useTexts } from "@guildhall/console/i18n/texts";
import { reasonWords } from "@guildhall/console/ui/faultWords";
import { portionsOf } from "@guildhall/console/ui/portions";
import { useShows } from "@guildhall/console/screens/shown";
import styles from "./Failure.module.css";
import { remedyOf } from "./remedies";

const LONGEST = 2_000;

interface FailureProps {
  error: { code: string; message: string | null };
  /** The workflow that ran. */
  slug: string;
  children?: ReactNode;
}

/** Why a run or a step failed, in words where the code has some and in the tool's own, and what to do about it. */
export function Failure({ error, slug, children }: FailureProps) {
  const { t, has } = useTexts();
  const key = `runs.error_${error.code}`;
  const words = has(key) ? t(key) : null;
  const shows = useShows();
  const remedy = remedyOf(error.code, slug);
  return (
    <div className={styles.failure}>
      <CircleX size={16} aria-hidden="true" />
      <div className={styles.words}>
        {words && <p>{words}</p>}
        {error.message && (
          <p dir="auto" className={styles.message}>
            {reasonWords(t, portionsOf(error.message, LONGEST)[0] ?? "")}
          </p>
        )}
        <p className={styles.remedy}>
          <strong>{t("runs.what_to_do")}</strong> {t(remedy.text)}{" "}
          {remedy.path && shows(remedy.screen ?? remedy.path) && <Link href={remedy.path}>{t("runs.go_there")}</Link>}
        </p>
        <p className={styles.code}>
          <code>{error.code}</code>
          {children}
        </p>
      </div>
    </div>
  );
}
