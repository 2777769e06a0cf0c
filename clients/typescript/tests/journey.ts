import { Client, Problem, Unreachable } from "../src/index.js";

declare const process: { env: Record<string, string> };

const { HALL = "", TOKEN = "" } = process.env;
const sent: string[] = [];
const faults: (() => void)[] = [];
const hall = new Client(HALL, {
  token: TOKEN,
  retries: { firstWait: 0 },
  async fetch(url, init) {
    sent.push(`${init.method} ${new URL(url).pathname}`);
    const response = await fetch(url, init);
    faults.shift()?.();
    return response;
  },
});

function lost(): never {
  throw new TypeError("the connection is broken");
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

faults.push(lost, lost);
const note = await hall.notes.create({ title: "Once" });
check((await hall.notes.list().first(9)).length === 1, "a POST that was not heard of happens once");

for (const number of [1, 2, 3, 4]) await hall.notes.create({ title: `Note ${number}` });
sent.length = 0;
const titles: string[] = [];
for await (const { title } of hall.notes.list({ limit: 2, sort: "title" })) titles.push(title);
check(titles.join() === "Note 1,Note 2,Note 3,Note 4,Once", titles.join());
check(sent.length === 3, sent.join());

await hall.notes.delete(note.id);
check((await hall.notes.list({ deleted: true }).first(9))[0]?.id === note.id, "it lies in the bin");
const refusal: unknown = await hall.notes.get("note_nobody").catch((cause: unknown) => cause);
check(refusal instanceof Problem && refusal.status === 404 && refusal.code === "not_found", String(refusal));

const content = new Uint8Array(1_000_000).map((_, index) => index % 251);
const stored = await hall.files.upload("2026/a b & c.bin", content);
check(stored.key === "2026/a b & c.bin" && stored.size === content.length, JSON.stringify(stored));
const read = await hall.files.download(stored.id).bytes();
check(read.length === content.length && read.every((byte, index) => byte === content[index]), "other bytes came");

const job = await hall.jobs.create({ kind: "x.example-tools.word-count", payload: { text: "one two" } });
const events: string[] = [];
faults.push(lost);
for await (const event of hall.jobs.events(job.id)) events.push(event.event);
check(events.at(-1) === "done", events.join());

const nobody = new Client("http://127.0.0.1:9", { retries: { attempts: 0 } });
check((await nobody.instance.health().catch((cause: unknown) => cause)) instanceof Unreachable, "nobody answers there");
console.log("whole");
