import { Component, type ReactNode } from "react";

import { connection } from "../api/connection";
import { useText } from "../i18n/texts";
import { Button } from "../ui/Button";
import notice from "../ui/ProblemNotice.module.css";

interface Props {
  /** Another address is another try. */
  address: string;
  /** Whose screen it is, to be named. */
  plugin?: string;
  children: ReactNode;
}

const RELOADED = "guildhall.reloaded";
const RECENTLY_MS = 60_000;
// A part of the console that was there when the page was opened, and is not after an upgrade.
const GONE = /dynamically imported module|Importing a module script failed|error loading dynamically|Unable to preload CSS/i;

/** Catches what breaks a screen, and says what to do; the frame around it stays. */
export class Boundary extends Component<Props, { cause: unknown }> {
  override state: { cause: unknown } = { cause: null };

  static getDerivedStateFromError(cause: unknown) {
    return { cause };
  }

  override componentDidCatch(cause: unknown) {
    if (cause instanceof Error && GONE.test(cause.message)) void reloadOnce();
  }

  override componentDidUpdate(before: Props) {
    if (this.state.cause !== null && before.address !== this.props.address) this.setState({ cause: null });
  }

  override render() {
    return this.state.cause === null ? this.props.children : <Broken plugin={this.props.plugin} />;
  }
}

/** Around what a plugin adds to a page of others: where it breaks, it is not there. */
export class Contained extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? null : this.props.children;
  }
}

function Broken({ plugin }: { plugin: string | undefined }) {
  const t = useText();
  return (
    <div role="alert" className={notice.notice}>
      <div className={notice.words}>
        <h1>{t("error.screen_title")}</h1>
        <p>{t("error.screen_text")}</p>
        {plugin && <p>{t("error.screen_of", { plugin })}</p>}
      </div>
      <Button kind="primary" onPress={() => void reload()}>
        {t("action.reload")}
      </Button>
    </div>
  );
}

/** Reloads where the server answers: what was typed lies on the device, and a browser's error page helps nobody. */
async function reload(): Promise<void> {
  if (await connection.answers()) location.reload();
}

async function reloadOnce(): Promise<void> {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < RECENTLY_MS) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  await reload();
}
