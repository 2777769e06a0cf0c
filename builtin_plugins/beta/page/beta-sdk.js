// The browser side of the sign-up: window.Service.beta with config(), challenge() and signup(fields).
//
//   <script src="https://hall.example/beta-sdk.js"></script>
//   await Service.beta.signup({ email: "ada@example.com" }, { onProgress: (p) => draw(p.fraction) });
//
// It runs in any page that can load it: on plain http, where there is no crypto.subtle; in a sandboxed
// frame, where it talks to its own server over CORS; and without a worker, where a page's policy forbids one.
(() => {
  "use strict";

  const ATTEMPTS = 3; // A challenge may expire while a laptop sleeps; the next one is fetched by itself.
  const ANSWER_MS = 30000;
  const WORKER_START_MS = 5000;
  const SLICE_MS = 8;

  const script = document.currentScript;
  const server = script && script.src ? new URL("/", script.src) : document.baseURI;
  // A draft as visitors will see it; what is filled in there goes nowhere.
  const isPreview = location.pathname.startsWith("/beta/preview/");

  // SHA-256, and the search for a solution. It stands alone: its source is what the worker runs.
  function createHasher() {
    const K = new Int32Array([
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ]);
    const START = new Int32Array([
      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    ]);
    const BLOCK = 64; // bytes
    const COUNTER = 2; // words: eight hexadecimal digits
    const LAST_WORD = 14; // where the length of the message begins
    const words = new Int32Array(64); // a block, and what SHA-256 expands it to
    const rounds = new Int32Array(8); // a to h
    const PAIRS = new Int32Array(256); // a byte as two hexadecimal digits
    for (let byte = 0; byte < 256; byte++) {
      const digits = byte.toString(16).padStart(2, "0");
      PAIRS[byte] = (digits.charCodeAt(0) << 8) | digits.charCodeAt(1);
    }

    // Takes a to h through the rounds from `first` to before `end`, expanding the block on the way.
    function run(first, end) {
      const w = words;
      const k = K;
      let a = rounds[0], b = rounds[1], c = rounds[2], d = rounds[3];
      let e = rounds[4], f = rounds[5], g = rounds[6], h = rounds[7];
      for (let i = first; i < end; i++) {
        if (i > 15) {
          const x = w[i - 15], y = w[i - 2];
          w[i] = (w[i - 16] + w[i - 7]
            + (((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3))
            + (((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10))) | 0;
        }
        const t = (h + k[i] + w[i] + (g ^ (e & (f ^ g)))
          + (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7)))) | 0;
        const u = ((((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10)))
          + ((a & b) ^ (c & (a ^ b)))) | 0;
        h = g; g = f; f = e; e = (d + t) | 0;
        d = c; c = b; b = a; a = (t + u) | 0;
      }
      rounds[0] = a; rounds[1] = b; rounds[2] = c; rounds[3] = d;
      rounds[4] = e; rounds[5] = f; rounds[6] = g; rounds[7] = h;
    }

    function load(view, at) {
      for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
    }

    // Returns the state after all whole blocks of the bytes.
    function stateAfter(bytes) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const state = START.slice();
      for (let at = 0; at + BLOCK <= bytes.length; at += BLOCK) {
        load(view, at);
        rounds.set(state);
        run(0, 64);
        for (let i = 0; i < 8; i++) state[i] += rounds[i];
      }
      return state;
    }

    // Returns the digest in hexadecimal.
    function sha256(bytes) {
      const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
      padded.set(bytes);
      padded[bytes.length] = 0x80;
      const view = new DataView(padded.buffer);
      view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
      view.setUint32(padded.length - 4, bytes.length * 8);
      return Array.from(stateAfter(padded), (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
    }

    // Returns search(count): so many tries further, the solution if it is among them, else null.
    //
    // A solution is a counter, moved by zeros to where its last four digits are one word of the last block:
    // all before that word is hashed once for 65,536 tries.
    function searcher(nonce, difficulty) {
      const prefix = new TextEncoder().encode(nonce + ":");
      let zeros = (4 - (prefix.length % 4)) % 4;
      const used = (prefix.length + zeros) % BLOCK;
      if (used / 4 + COUNTER >= LAST_WORD) zeros += BLOCK - used;
      const fixed = new Uint8Array(prefix.length + zeros).fill(48);
      fixed.set(prefix);

      const state = stateAfter(fixed);
      const whole = fixed.length - (fixed.length % BLOCK);
      const last = new Uint8Array(BLOCK);
      last.set(fixed.subarray(whole));
      const high = (fixed.length - whole) / 4, low = high + 1;
      const view = new DataView(last.buffer);
      view.setUint8(4 * (low + 1), 0x80);
      view.setUint32(BLOCK - 4, (fixed.length + 4 * COUNTER) * 8);

      const digits = (number) => (PAIRS[number >>> 8] << 16) | PAIRS[number & 255];
      const before = new Int32Array(8);
      const shift = 32 - difficulty;
      let counter = 0;
      return function search(count) {
        const end = Math.min(counter + count, 2 ** 32);
        while (counter < end) {
          const upper = Math.floor(counter / 65536);
          const stop = Math.min(end, (upper + 1) * 65536);
          load(view, 0);
          words[high] = digits(upper);
          rounds.set(state);
          run(0, low);
          before.set(rounds);
          for (; counter < stop; counter++) {
            words[low] = digits(counter & 65535);
            rounds.set(before);
            run(low, 64);
            if (difficulty === 0 || (rounds[0] + state[0]) >>> shift === 0) {
              return "0".repeat(zeros) + counter.toString(16).padStart(8, "0");
            }
          }
        }
        return null;
      };
    }

    return { sha256, searcher };
  }

  // ICU messages as the catalogs have them: {name}, and {name, plural, =0 {…} one {…} other {…}} with #.
  function format(message, values, locale) {
    let at = 0;
    function text(number, nested) {
      let out = "";
      while (at < message.length) {
        const char = message[at];
        if (char === "'" && message[at + 1] === "'") {
          out += "'";
          at += 2;
        } else if (char === "'" && "{}#".includes(message[at + 1] || " ")) {
          const close = message.indexOf("'", at + 1);
          const end = close < 0 ? message.length : close;
          out += message.slice(at + 1, end);
          at = end + 1;
        } else if (char === "{") {
          at += 1;
          out += argument();
        } else if (char === "}" && nested) {
          return out;
        } else {
          out += char === "#" && number !== null ? number.toLocaleString(locale) : char;
          at += 1;
        }
      }
      return out;
    }
    function upTo(ends) {
      const from = at;
      while (at < message.length && !ends.includes(message[at])) at += 1;
      return message.slice(from, at).trim();
    }
    function argument() {
      const value = values[upTo(",}")];
      if (message[at++] === "}") return value === undefined ? "" : String(value);
      upTo(","); // plural is the only kind that they use
      at += 1;
      const forms = {};
      for (let name = upTo("{}"); message[at] === "{"; name = upTo("{}")) {
        at += 1;
        forms[name] = text(Number(value), true);
        at += 1;
      }
      at += 1;
      const category = new Intl.PluralRules(locale).select(Number(value));
      return forms["=" + value] || forms[category] || forms.other || "";
    }
    return text(null, false);
  }

  // The words for people, in the language that config() answered in. Without them the server's own are used.
  const speech = { locale: null, texts: {}, labels: {} };

  function text(key, values = {}) {
    const message = speech.texts[key];
    return message === undefined ? null : format(message, values, speech.locale || "en");
  }

  function speak(locale, texts) {
    speech.locale = locale;
    speech.texts = texts || {};
  }

  // What the server says of an answer, and the page's words for it.
  const FAULTS = [
    [/^must be filled in$/, "field.required"],
    [/^must be ticked$/, "field.tick"],
    [/^must be one of the options$/, "field.choose"],
    [/^must be an e-mail address/, "field.email"],
    [/^must be a web address/, "field.url"],
    [/^takes at most (\d+) characters$/, "field.too_long"],
  ];

  function fault(message) {
    for (const [pattern, key] of FAULTS) {
      const found = pattern.exec(message);
      if (found) return text(key, { count: Number(found[1]) }) || message;
    }
    return message;
  }

  // What a call rejects with: `message` in words, `code`, `status`, `errors` by field, `retryAfter` in
  // seconds, `requestId`, and whether trying again can help.
  class SignupError extends Error {
    constructor(code, message, more = {}) {
      super(message);
      this.name = "SignupError";
      this.code = code;
      Object.assign(this, { status: 0, errors: {}, retryAfter: null, requestId: null, retryable: true }, more);
    }
  }

  const cancelled = () =>
    new SignupError("cancelled", text("error.cancelled") || "Stopped. Nothing was sent.");
  const unreachable = () =>
    new SignupError("unreachable", text("error.unreachable") || "The server cannot be reached. Try again.");

  function tooMany(seconds) {
    const minutes = Math.max(1, Math.ceil((seconds || 60) / 60));
    const english = `Too many sign-ups came from your network. Try again in ${minutes} minute${minutes > 1 ? "s" : ""}.`;
    return text("error.too_many", { minutes }) || english;
  }

  async function refusal(response) {
    const problem = await response.json().catch(() => ({}));
    const code = typeof problem.code === "string" ? problem.code : `http_${response.status}`;
    const retryAfter = parseInt(response.headers.get("Retry-After"), 10) || null;
    const errors = {};
    for (const { pointer, message } of problem.errors || []) {
      const field = /^\/fields\/([^/]+)$/.exec(pointer);
      if (field) errors[field[1].replace(/~1/g, "/").replace(/~0/g, "~")] = fault(message);
    }
    let words = problem.detail || problem.title || `The server answered ${response.status}.`;
    const named = Object.entries(errors).map(([name, message]) => `${speech.labels[name] || name}: ${message}`);
    if (named.length) words = named.join("\n");
    if (response.status === 429) words = tooMany(retryAfter);
    else if (response.status >= 500) words = text("error.server") || words;
    else if (code === "challenge_invalid") words = text("error.challenge") || words;
    return new SignupError(code, words, {
      status: response.status,
      errors,
      retryAfter,
      requestId: problem.request_id || null,
      retryable: response.status === 429 || response.status >= 500 || code === "challenge_invalid",
    });
  }

  async function call(path, signal, init = {}) {
    if (signal && signal.aborted) throw cancelled();
    const limit = new AbortController();
    const stop = () => limit.abort();
    const timer = setTimeout(stop, ANSWER_MS);
    if (signal) signal.addEventListener("abort", stop);
    try {
      const response = await fetch(new URL(path, server), { credentials: "omit", ...init, signal: limit.signal });
      if (!response.ok) throw await refusal(response);
      return await response.json();
    } catch (error) {
      if (error instanceof SignupError) throw error;
      throw signal && signal.aborted ? cancelled() : unreachable();
    } finally {
      clearTimeout(timer);
      if (signal) signal.removeEventListener("abort", stop);
    }
  }

  // Runs in the worker, after the source of the hasher.
  function serveWorker(createHasher) {
    const TRIES = 16384;
    self.onmessage = ({ data }) => {
      const search = createHasher().searcher(data.nonce, data.difficulty);
      for (let tried = 0, solution = null; solution === null; tried += TRIES) {
        self.postMessage({ tried });
        solution = search(TRIES);
        if (solution !== null) self.postMessage({ solution });
      }
    };
  }

  // Resolves null where there can be no worker; the page's policy says so by an event, or by an exception.
  function solveInWorker(challenge, report, signal) {
    return new Promise((resolve, reject) => {
      let worker, url;
      const finish = (settle, value) => {
        clearTimeout(timer);
        if (worker) worker.terminate();
        if (url) URL.revokeObjectURL(url);
        if (signal) signal.removeEventListener("abort", stop);
        settle(value);
      };
      const stop = () => finish(reject, cancelled());
      const timer = setTimeout(() => finish(resolve, null), WORKER_START_MS);
      if (signal) signal.addEventListener("abort", stop);
      try {
        url = URL.createObjectURL(
          new Blob([`"use strict";(${serveWorker})(${createHasher});`], { type: "text/javascript" })
        );
        worker = new Worker(url);
      } catch {
        finish(resolve, null);
        return;
      }
      worker.onerror = (event) => {
        event.preventDefault();
        finish(resolve, null);
      };
      worker.onmessage = ({ data }) => {
        clearTimeout(timer);
        if (data.solution !== undefined) finish(resolve, data.solution);
        else report(data.tried);
      };
      worker.postMessage({ nonce: challenge.nonce, difficulty: challenge.difficulty });
    });
  }

  // Between two slices the page handles what happened to it. Messages, unlike timers, come at full pace in a
  // tab that nobody looks at.
  function solveInSlices(challenge, report, signal) {
    return new Promise((resolve, reject) => {
      const TRIES = 512;
      const search = createHasher().searcher(challenge.nonce, challenge.difficulty);
      const channel = new MessageChannel();
      let tried = 0;
      const finish = (settle, value) => {
        channel.port1.close();
        settle(value);
      };
      channel.port1.onmessage = () => {
        if (signal && signal.aborted) return finish(reject, cancelled());
        const end = performance.now() + SLICE_MS;
        do {
          const solution = search(TRIES);
          if (solution !== null) return finish(resolve, solution);
          tried += TRIES;
        } while (performance.now() < end);
        report(tried);
        channel.port2.postMessage(null);
      };
      channel.port2.postMessage(null);
    });
  }

  // Returns the solution of a challenge. The fraction is how probable it was to be done by now: nobody can
  // know more.
  async function solve(challenge, { onProgress, signal } = {}) {
    if (signal && signal.aborted) throw cancelled();
    if (challenge.algorithm !== "sha-256" || !(challenge.difficulty >= 0 && challenge.difficulty <= 32)) {
      throw new SignupError(
        "challenge_unknown",
        text("error.outdated") || "This page is too old for the server. Load it again.",
      );
    }
    const expected = 2 ** challenge.difficulty;
    const report = (tried) => {
      if (onProgress) onProgress({ stage: "solving", tried, expected, fraction: 1 - Math.exp(-tried / expected) });
    };
    report(0);
    const solution = await solveInWorker(challenge, report, signal);
    return solution === null ? solveInSlices(challenge, report, signal) : solution;
  }

  // Work that a refusal did not spend: whoever corrects an answer does not wait a second time.
  let unspent = null;

  async function solved(onProgress, signal) {
    if (unspent !== null) {
      const found = unspent;
      unspent = null;
      return found;
    }
    onProgress({ stage: "challenge", fraction: 0 });
    const { nonce, difficulty, expires_at, signature, algorithm } = await challenge({ signal });
    const solution = await solve({ algorithm, nonce, difficulty }, { onProgress, signal });
    return { nonce, difficulty, expires_at, signature, solution };
  }

  async function config(locale) {
    const query = locale ? `?locale=${encodeURIComponent(locale)}` : "";
    const found = await call(`/api/beta/config${query}`);
    if (found.texts) speak(found.locale, found.texts);
    for (const { name, label } of found.fields || []) speech.labels[name] = label;
    return found;
  }

  function challenge({ signal } = {}) {
    return call("/api/beta/challenge", signal, { cache: "no-store" });
  }

  // Resolves with what the server answered: { status: "received" }.
  async function signup(fields, options = {}) {
    const { locale, website, signal, onProgress = () => {} } = options;
    // Whoever has not asked for the page's words yet is answered in the visitor's language all the same.
    if (speech.locale === null) await config(locale).catch(() => {});
    if (isPreview) throw new SignupError("preview", text("preview"), { retryable: false });
    for (let attempt = 1; ; attempt++) {
      const work = await solved(onProgress, signal);
      onProgress({ stage: "sending", fraction: 1 });
      const body = { fields, challenge: work };
      if (locale) body.locale = locale;
      if (website) body.website = website;
      try {
        return await call("/api/beta/signup", signal, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        });
      } catch (error) {
        if (error.code === "challenge_invalid" && attempt < ATTEMPTS) continue;
        if (error.code !== "challenge_invalid") unspent = work;
        throw error;
      }
    }
  }

  function sha256(message) {
    return createHasher().sha256(new TextEncoder().encode(message));
  }

  const beta = Object.freeze({ config, challenge, signup, solve, sha256, speak, text, isPreview, SignupError });
  window.Service = Object.assign(window.Service || {}, { beta });
})();
