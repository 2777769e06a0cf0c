// Lays a packed twin beside each script and stylesheet of the build, which the server sends to whoever takes it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const ASSETS = new URL("../builtin_plugins/console/dist/assets/", import.meta.url);

for (const name of readdirSync(ASSETS).filter((each) => /\.(js|css)$/.test(each))) {
  writeFileSync(new URL(`${name}.gz`, ASSETS), gzipSync(readFileSync(new URL(name, ASSETS)), { level: 9 }));
}
