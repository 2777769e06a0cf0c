// An out-of-process plugin in JavaScript, with nothing but Node.
import { createInterface } from "node:readline";

const tools = [
  {
    name: "slug",
    description: "Turn a title into a slug",
    schema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  },
  {
    name: "find_word",
    description: "Find the caller's notes that hold a word",
    schema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  },
];

const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const answers = new Map();
let lastId = 0;

// Calls the server back, on behalf of the call that is being served.
const ask = (call, method, params) =>
  new Promise((resolve, reject) => {
    const id = `ask-${++lastId}`;
    answers.set(id, { resolve, reject });
    write({ id, method, params: { call, ...params } });
  });

async function findWord(call, { word }) {
  const found = [];
  let page = { next: undefined };
  do {
    page = await ask(call, "notes/list", { limit: 50, ...(page.next ? { before: page.next } : {}) });
    for (const { id, title } of page.items) {
      const note = await ask(call, "notes/read", { id });
      if (note.text.includes(word)) found.push(title);
    }
  } while (page.next);
  return { found };
}

const serve = {
  initialize: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ call, name, arguments: given }) =>
    name === "find_word"
      ? findWord(call, given)
      : { slug: given.title.toLowerCase().replace(/[^a-z0-9]+/g, "-") },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  if (!message.method) {
    const { resolve, reject } = answers.get(message.id);
    answers.delete(message.id);
    return message.error ? reject(new Error(message.error.message)) : resolve(message.result);
  }
  if (message.id === undefined) return; // a notification: the call was given up
  try {
    write({ id: message.id, result: await serve[message.method](message.params) });
  } catch (error) {
    write({ id: message.id, error: { code: -32000, message: error.message } });
  }
});
