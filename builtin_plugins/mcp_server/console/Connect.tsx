import { ExternalLink, KeyRound } from "lucide-react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useShows } from "@guildhall/console/screens/shown";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import styles from "./Connect.module.css";
import { mcpAddress, snippetsFor } from "./snippets";

const API_DOCS = "/api/docs";
const TOKENS = "/tokens";

/** How programs and assistants of others use this hall: its addresses, and what to put into their settings. */
export function Connect() {
  const t = useText();
  const shows = useShows();
  const { origin } = window.location;
  return (
    <>
      <PageHead title={t("nav.connect")} text={t("connect.text")} />
      <Panel title={t("connect.addresses")}>
        <Facts
          facts={[
            [t("connect.mcp"), <Address key="mcp" name={t("connect.mcp")} text={mcpAddress(origin)} />],
            [t("connect.api"), <Address key="api" name={t("connect.api")} text={`${origin}/api`} />],
          ]}
        />
        <ul className={styles.links}>
          <li>
            <a href={API_DOCS} target="_blank" rel="noreferrer">
              <ExternalLink size={16} aria-hidden="true" />
              {t("connect.docs")}
            </a>
          </li>
          {shows(TOKENS) && (
            <li>
              <Link href={TOKENS}>
                <KeyRound size={16} aria-hidden="true" />
                {t("connect.token")}
              </Link>
            </li>
          )}
        </ul>
      </Panel>
      {snippetsFor(origin).map(({ id, name, where, text }) => (
        <Panel key={id} title={t(name)}>
          <p className={styles.where}>{t(where)}</p>
          <CodeBlock name={t(name)} text={text} />
        </Panel>
      ))}
    </>
  );
}

function Address({ name, text }: { name: string; text: string }) {
  return (
    <span className={styles.address}>
      <code>{text}</code>
      <CopyButton text={text} name={name} />
    </span>
  );
}
