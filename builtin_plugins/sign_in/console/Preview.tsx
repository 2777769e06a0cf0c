import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import type { Place } from "./way";

interface Previewed {
  outcome: "sign_in" | "create" | "link" | "refuse";
  code: string | null;
  username: string | null;
  teams: { team: { id: string; name: string }; role: string; rule: number | null }[];
}

const EXAMPLE = '{\n  "sub": "1",\n  "preferred_username": "ada",\n  "email": "ada@example.com",\n  "email_verified": true,\n  "groups": []\n}';

/** What would happen to somebody with these claims; nothing does. */
export function Preview({ place, id }: { place: Place; id: string }) {
  const t = useText();
  const [text, setText] = useState(EXAMPLE);
  const claims = read(text);
  const preview = useMutation({
    mutationFn: async () => (await callRow({ method: "POST", path: `${place.rows}/${id}/preview`, body: { claims } })) as Previewed,
  });
  const found = preview.data;
  return (
    <Panel title={t("signin.preview_title")}>
      <Form name="sign-in-preview" onSubmit={() => preview.mutate()}>
        {preview.isError && <ProblemNotice problem={preview.error} />}
        <TextField label={t("signin.claims")} help={t("signin.claims_help")} rows={8} value={text} onChange={setText} {...(claims === null && { fault: t("signin.claims_help") })} />
        <Button type="submit" isPending={preview.isPending} isDisabled={claims === null}>
          {t("signin.preview")}
        </Button>
      </Form>
      {found && (
        <div role="status">
          <p>
            {t(`signin.outcome_${found.outcome}`, { username: found.username ?? "?" })} {found.code && t(`error.${found.code}`)}
          </p>
          <Facts facts={found.teams.map(({ team, role }) => [team.name, t(`role.${role}`)] as const)} />
        </div>
      )}
    </Panel>
  );
}

function read(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
