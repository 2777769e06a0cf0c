import { useRef } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Editor } from "@guildhall/console/ui/Editor";
import { Panel } from "@guildhall/console/ui/Panel";
import { Switch } from "@guildhall/console/ui/Switch";
import styles from "./Beta.module.css";

interface TemplatePanelProps {
  template: string | null;
  onChange: (template: string | null) => void;
  fault: string | undefined;
}

/** HTML of the team's own in the place of the default page, with slots for its texts. */
export function TemplatePanel({ template, onChange, fault }: TemplatePanelProps) {
  const t = useText();
  // Switched off and on again, it is what it was.
  const written = useRef(STARTER);
  if (template !== null) written.current = template;
  return (
    <Panel title={t("funnel.template")}>
      <Switch isSelected={template !== null} onChange={(on) => onChange(on ? written.current : null)}>
        {t("funnel.template_use")}
      </Switch>
      <p className={styles.muted}>{t("funnel.template_help", { slot: "{{title}}" })}</p>
      {template !== null && (
        <>
          <div className={styles.code}>
            <Editor label={t("funnel.template")} language="plain" value={template} onChange={onChange} isInvalid={fault !== undefined} />
          </div>
          {fault && <p className={styles.fault}>{fault}</p>}
          {template !== STARTER && (
            <Button kind="quiet" onPress={() => onChange(STARTER)}>
              {t("funnel.template_starter")}
            </Button>
          )}
        </>
      )}
    </Panel>
  );
}

const STARTER = `<!doctype html>
<html lang="{{locale}}" dir="{{dir}}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<link rel="icon" href="data:,">
<h1>{{title}}</h1>
<p>{{subtitle}}</p>
<form>
  <label>E-mail <input name="email" type="email" required></label>
  <button>{{submit}}</button>
  <output></output>
</form>
<script src="/beta-sdk.js"></script>
<script>
  const form = document.querySelector("form"), say = form.querySelector("output");
  form.onsubmit = async (event) => {
    event.preventDefault();
    try {
      await Service.beta.signup({ email: form.email.value });
      say.textContent = "✓";
    } catch (error) {
      say.textContent = error.message;
    }
  };
</script>
</html>
`;
