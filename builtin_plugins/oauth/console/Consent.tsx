import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { usePermissionWords } from "@guildhall/console/people/permissions";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import styles from "./Consent.module.css";

interface Asked {
  client: { id: string; name: string };
  answers_to: string | null;
  permissions: { name: string; description: string }[];
  team: { id: string; name: string };
}

const PATH = "/api/oauth/consent";
const FIELDS = ["client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method", "scope", "state", "resource"];

/** What stands behind the address, of which the server judges each word. */
function askedHere(): Record<string, string> {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(FIELDS.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? ""]] : [])));
}

/** A field that is needed and is not there is the server's to complain of, in words. */
const withNeeded = (fields: Record<string, string>) => ({ client_id: "", redirect_uri: "", response_type: "", ...fields });

/** Asks whether a program of somebody else may act for whoever is signed in, and as what. */
export default function Consent() {
  const t = useText();
  const [fields] = useState(askedHere);
  const asked = useQuery({
    queryKey: ["oauth-consent", fields],
    queryFn: async () => (await callRow({ method: "POST", path: `${PATH}/check`, body: withNeeded(fields) })) as Asked,
    retry: false,
    staleTime: Infinity,
  });
  if (asked.isPending) return <SkeletonRows />;
  if (asked.isError) {
    return (
      <>
        <PageHead title={t("oauth.consent_title")} />
        <ProblemNotice problem={asked.error} />
      </>
    );
  }
  return <Question asked={asked.data} fields={fields} />;
}

function Question({ asked, fields }: { asked: Asked; fields: Record<string, string> }) {
  const t = useText();
  const words = usePermissionWords();
  const [left, setLeft] = useState<readonly string[]>([]);
  const chosen = asked.permissions.map(({ name }) => name).filter((name) => !left.includes(name));
  const decide = useMutation({
    mutationFn: async (decision: "allow" | "deny") => {
      const body = { ...fields, decision, ...(decision === "allow" && { permissions: chosen }) };
      return (await callRow({ method: "POST", path: PATH, body })) as { redirect_to: string };
    },
    onSuccess: ({ redirect_to }) => location.assign(redirect_to),
  });
  const isDecided = decide.isPending || decide.isSuccess;
  return (
    <>
      <PageHead title={t("oauth.asks", { name: asked.client.name })} text={t("oauth.in_team", { team: asked.team.name })} />
      <Panel title={t("oauth.may")}>
        {decide.isError && <ProblemNotice problem={decide.error} />}
        <ul className={styles.permissions}>
          {asked.permissions.map(({ name, description }) => (
            <li key={name}>
              <Checkbox isSelected={!left.includes(name)} onChange={(isOn) => setLeft(isOn ? left.filter((one) => one !== name) : [...left, name])}>
                {words(name) === name ? description : words(name)}
              </Checkbox>
            </li>
          ))}
        </ul>
        <p>{asked.answers_to ? t("oauth.answers_to", { host: asked.answers_to }) : t("oauth.answers_to_own")}</p>
        <p>{t("oauth.not_checked")}</p>
        <div className={styles.actions}>
          <Button kind="quiet" isDisabled={isDecided} onPress={() => decide.mutate("deny")}>
            {t("oauth.deny")}
          </Button>
          <Button kind="primary" isDisabled={isDecided || chosen.length === 0} onPress={() => decide.mutate("allow")}>
            {t("oauth.allow")}
          </Button>
        </div>
      </Panel>
    </>
  );
}
