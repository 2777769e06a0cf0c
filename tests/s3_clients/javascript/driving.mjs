// The AWS SDK for JavaScript as a program, told in the same words as the clients in Python.
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { env, stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";

import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

const Bucket = env.S3_BUCKET;
const client = new S3Client({
  endpoint: env.S3_ENDPOINT,
  region: "local",
  forcePathStyle: true,
  maxAttempts: 1,
});
const encodedSource = (key) => `${Bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;

async function keys() {
  const found = [];
  for await (const page of paginateListObjectsV2({ client }, { Bucket })) {
    found.push(...(page.Contents ?? []).map((one) => one.Key));
  }
  return found;
}

async function get(Key, path) {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  await mkdir(dirname(path), { recursive: true });
  await pipeline(Body, createWriteStream(path));
}

async function whole(path, Key, conditions = {}) {
  await client.send(new PutObjectCommand({ Bucket, Key, Body: await readFile(path), ...conditions }));
}

const upload = (path, Key) => new Upload({ client, params: { Bucket, Key, Body: createReadStream(path) } }).done();

const commands = {
  put: upload,
  get,
  list: async () => JSON.stringify(await keys()),
  copy: (source, Key) =>
    client.send(new CopyObjectCommand({ Bucket, Key, CopySource: encodedSource(source) })).then(() => {}),
  delete: (Key) => client.send(new DeleteObjectCommand({ Bucket, Key })).then(() => {}),
  up: async (folder, prefix) => {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      if (entry.isFile()) await upload(path, prefix + path.slice(folder.length + 1));
    }
  },
  down: async (prefix, folder) => {
    for (const key of await keys()) {
      if (key.startsWith(prefix)) await get(key, join(folder, key.slice(prefix.length)));
    }
  },
  whole,
  stream: (path, Key) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body: createReadStream(path) })).then(() => {}),
  create: (path, key) => whole(path, key, { IfNoneMatch: "*" }),
  replace: (path, key, etag) => whole(path, key, { IfMatch: etag }),
  link: (method, Key) => {
    const Command = method === "PUT" ? PutObjectCommand : GetObjectCommand;
    return getSignedUrl(client, new Command({ Bucket, Key }), { expiresIn: 300 });
  },
};

for await (const line of createInterface({ input: stdin })) {
  const [name, ...told] = JSON.parse(line);
  let said;
  try {
    const answer = await commands[name](...told);
    said = { answer: typeof answer === "string" ? answer : "" };
  } catch (error) {
    said = { failed: `${error.name}: ${error.message}` };
  }
  stdout.write(`${JSON.stringify(said)}\n`);
}
