import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useInstance } from "@guildhall/console/instance";
import { useLanguageName } from "@guildhall/console/i18n/languageName";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { Switch } from "@guildhall/console/ui/Switch";
import { Table } from "@guildhall/console/ui/Table";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useImport } from "./ImportButton";
import { useCoverage } from "./languages";
import styles from "./Localize.module.css";

/** Which languages this instance speaks, which one by default, and whether people choose. */
export function PolicyScreen() {
  const t = useText();
  const may = useMay();
  return (
    <>
      {may("instance:manage") ? <PolicyForm /> : <PolicyFacts />}
      {may("localization:manage") && <OpenLanguage />}
      <Panel title={t("l10n.spoken")}>
        <Spoken />
      </Panel>
    </>
  );
}

function PolicyFacts() {
  const t = useText();
  const nameOf = useLanguageName();
  const { default_locale: locale, switching } = useInstance().config.localization;
  const facts = [
    [t("l10n.default_language"), nameOf(locale)],
    [t("l10n.switching"), switching ? t("state.on") : t("state.off")],
  ] as const;
  return (
    <Panel title={t("l10n.policy")}>
      <Facts facts={facts} />
      <p className={styles.muted}>{t("l10n.policy_by_operator")}</p>
    </Panel>
  );
}

function PolicyForm() {
  const t = useText();
  const announce = useAnnounce();
  const nameOf = useLanguageName();
  const { config, reload } = useInstance();
  const opened = useCoverage();
  const { default_locale: locale, switching, locales } = config.localization;
  const change = useMutation({
    mutationFn: (body: { default_locale?: string; switching?: boolean }) => dataOf(api.PUT("/api/i18n", { body })),
    onSuccess: () => {
      announce(t("state.saved"));
      reload();
    },
  });
  const tags = [...new Set([...locales.map(({ code }) => code), ...(opened.data ?? []).map((one) => one.locale)])];
  const options = tags.map((tag) => ({ id: tag, name: `${nameOf(tag)} (${tag})` }));
  const fault = change.error instanceof Problem ? change.error.at("/default_locale") : undefined;
  return (
    <Panel title={t("l10n.policy")}>
      {change.isError && !fault && <ProblemNotice problem={change.error} />}
      <div className={styles.narrow}>
        <Select
          label={t("l10n.default_language")}
          options={options}
          value={change.variables?.default_locale ?? locale}
          onChange={(tag) => change.mutate({ default_locale: tag })}
          isDisabled={change.isPending}
          {...(fault && { fault })}
        />
        <Switch
          isSelected={change.isPending ? (change.variables.switching ?? switching) : switching}
          onChange={(on) => change.mutate({ switching: on })}
        >
          {t("l10n.switching")}
        </Switch>
      </div>
    </Panel>
  );
}

function OpenLanguage() {
  const t = useText();
  const [tag, setTag] = useState("");
  const open = useImport();
  const fault = open.error instanceof Problem ? open.error.at("/locale") : undefined;
  return (
    <Panel title={t("l10n.open_language")}>
      <Form name="open-language" className={styles.inline} onSubmit={() => open.mutate(tag.trim(), { onSuccess: () => setTag("") })}>
        {open.isError && <ProblemNotice problem={open.error} />}
        <TextField
          label={t("l10n.language_tag")}
          isRequired
          help={t("l10n.language_tag_help")}
          value={tag}
          onChange={setTag}
          {...(fault && { fault })}
        />
        <Button kind="primary" type="submit" isPending={open.isPending}>
          {t("l10n.open_language")}
        </Button>
      </Form>
    </Panel>
  );
}

/** Those that people are offered, and those that were opened and wait for a first approved text. */
function Spoken() {
  const t = useText();
  const nameOf = useLanguageName();
  const { locales } = useInstance().config.localization;
  const opened = useCoverage();
  const offered = new Map(locales.map((one) => [one.code, one.name]));
  const tags = [...new Set([...offered.keys(), ...(opened.data ?? []).map((one) => one.locale)])];
  const rows = tags.map((tag) => ({ tag, counts: opened.data?.find((one) => one.locale === tag) }));
  return (
    <Table
      label={t("l10n.spoken")}
      items={rows}
      idOf={({ tag }) => tag}
      columns={[
        { id: "name", name: t("account.language"), cell: ({ tag }) => nameOf(tag) },
        { id: "own", name: t("l10n.own_name"), isSecondary: true, cell: ({ tag }) => <span lang={tag}>{offered.get(tag) ?? ""}</span> },
        { id: "tag", name: t("l10n.language_tag"), isSecondary: true, cell: ({ tag }) => <code>{tag}</code> },
        {
          id: "offered",
          name: t("list.status"),
          cell: ({ tag }) => (offered.has(tag) ? t("l10n.offered") : t("l10n.not_offered")),
        },
        {
          id: "approved",
          name: t("l10n.approved"),
          isFigure: true,
          cell: ({ tag, counts }) =>
            counts ? <Link href={`/localize/translate?locale=${tag}`}>{`${counts.approved} / ${counts.total}`}</Link> : "",
        },
      ]}
    />
  );
}
