import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { usePluginText } from "@guildhall/console/screens/pages";
import { bodyOf, draftOf, type Draft, type Schema } from "@guildhall/console/screens/schema";
import { SchemaField, SchemaFields } from "@guildhall/console/screens/SchemaField";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Form } from "@guildhall/console/ui/Form";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import styles from "./PluginSettings.module.css";

interface Preference {
  plugin: string;
  name: string;
  title: string | null;
  help: string;
  holder: "team" | "company";
  schema: Schema;
  value: unknown;
  may_write: boolean;
  version: number;
}

const KEY = ["preferences"];

/** What plugins leave to the team and to the company, each with a form that is drawn from its schema. */
export default function PluginSettings() {
  const t = useText();
  const preferences = useQuery({ queryKey: KEY, queryFn: async () => (await callRow({ method: "GET", path: "/api/preferences" })) as { items: Preference[] } });
  if (preferences.isPending) return <SkeletonRows />;
  if (preferences.isLoadingError) return <ProblemNotice problem={preferences.error} onRetry={() => void preferences.refetch()} />;
  const drawn = preferences.data.items.filter(({ title, may_write: mayWrite }) => title && mayWrite);
  return (
    <>
      <PageHead title={t("preferences.title")} text={t("preferences.about")} />
      {drawn.length === 0 && <EmptyState text={t("preferences.none")} />}
      {drawn.map((one) => (
        // What somebody else has changed meanwhile is drawn anew.
        <PreferenceForm key={`${one.plugin} ${one.name} ${one.version}`} preference={one} />
      ))}
    </>
  );
}

function PreferenceForm({ preference }: { preference: Preference }) {
  const t = useText();
  const say = usePluginText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { plugin, name, schema, holder, version } = preference;
  const path = `/api/preferences/${plugin}/${name}`;
  const [draft, setDraft] = useState<Draft>(() => draftOf(schema, preference.value));
  const refresh = () => void client.invalidateQueries({ queryKey: KEY });
  const save = useMutation({
    mutationFn: () => callRow({ method: "PUT", path, body: bodyOf(schema, draft) }),
    onSuccess: () => {
      announce(t("state.saved"));
      refresh();
    },
  });
  const reset = useMutation({
    mutationFn: () => callRow({ method: "DELETE", path }),
    onSuccess: () => {
      announce(t("preferences.reset_done"));
      refresh();
    },
  });
  const fault = save.error ?? reset.error;
  const drawn = { schema, draft, onChange: setDraft, problem: fault instanceof Problem ? fault : null, pointer: "" };
  return (
    <Panel title={say(preference.title ?? name)}>
      <Form name={`${plugin}-${name}`} className={styles.form} onSubmit={() => save.mutate()}>
        <p className={styles.help}>{[say(preference.help), holder === "company" && t("preferences.of_company")].filter(Boolean).join(" · ")}</p>
        {fault !== null && <ProblemNotice problem={fault} />}
        {schema.type === "object" ? <SchemaFields {...drawn} /> : <SchemaField {...drawn} name={t("preferences.value")} isRequired />}
        <div className={styles.actions}>
          <Button type="submit" isPending={save.isPending}>
            {t("action.save")}
          </Button>
          {version > 0 && (
            <Button kind="quiet" isPending={reset.isPending} onPress={() => reset.mutate()}>
              {t("preferences.reset")}
            </Button>
          )}
        </div>
      </Form>
    </Panel>
  );
}
