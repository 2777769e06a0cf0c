/**
 * The console, as a page in its frame knows it. Copy this file into your own bundle.
 *
 *   import { connect } from "./guildhall.js";
 *   const hall = await connect();
 *   hall.locale; hall.theme;                        // "nl"; { mode: "dark", tokens: { bg: "#101418", … } }
 *   await hall.call("POST", "/word-count", { text });  // a row of this plugin, as whoever looks at the page
 */

/** Says hello, and answers once the console has; colours and language are set on the page, and follow. */
export function connect({ apply = true } = {}) {
  return new Promise((resolve) => {
    addEventListener("message", function welcomed(event) {
      if (event.source !== parent || event.data?.guildhall !== "welcome") return;
      removeEventListener("message", welcomed);
      resolve(new Hall(event.ports[0], event.data, apply));
    });
    parent.postMessage({ guildhall: "hello" }, "*");
  });
}

/** A row answered with a problem; `status`, `code` and the `errors` by field are the server's own. */
export class Refused extends Error {
  constructor(status, body) {
    super(body?.detail ?? `status ${status}`);
    Object.assign(this, { status, code: body?.code ?? null, errors: body?.errors ?? [] });
  }
}

class Hall {
  #port;
  #apply;
  #waiting = new Map();
  #last = 0;

  constructor(port, { locale, theme }, apply) {
    this.#port = port;
    this.#apply = apply;
    this.#take({ locale, theme });
    port.onmessage = ({ data }) => (data.type === "answer" ? this.#settle(data) : this.#take(data));
  }

  /** Calls a row of this plugin by its path as it was declared, and gives what it answers. */
  call(method, path, body) {
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#port.postMessage({ type: "call", id, method, path, body });
    });
  }

  #settle({ id, status, body }) {
    const { resolve, reject } = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (status >= 200 && status < 300) resolve(body);
    else reject(new Refused(status, body));
  }

  #take({ locale, theme }) {
    this.locale = locale;
    this.theme = theme;
    if (!this.#apply) return;
    document.documentElement.lang = locale;
    document.documentElement.style.colorScheme = theme.mode;
    for (const [name, value] of Object.entries(theme.tokens)) {
      document.documentElement.style.setProperty(`--${name}`, value);
    }
    dispatchEvent(new CustomEvent("guildhall", { detail: { locale, theme } }));
  }
}
