// `npm run lock`: writes package-lock.json and completes it. A registry mirror may hold only this platform's binaries; npm then
// leaves the other platforms' optional packages out of the lock, and `npm ci` refuses a lock that lacks them. They are pinned
// exactly by the package that wants them, so their entries can be written without asking: version and platform, no integrity.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureNode, npmUnder } from "./setup/node-24.mjs";
import { root } from "./setup/paths.mjs";
import { orExplain } from "./setup/set-up.mjs";
import { run } from "./setup/step.mjs";

const systems = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "aix", "win32"];
const processors = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

await orExplain(async () => {
  const npm = npmUnder(await ensureNode());
  await run("wrote the lock file", npm.command, [...npm.args, "install", "--package-lock-only"], {
    cwd: root,
    env: npm.env,
  });
});

const file = join(root, "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));
let added = 0;
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (!/^\d/.test(version) || isLocked(place, name)) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    };
    added++;
  }
}
if (added > 0) {
  lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(`package-lock.json is complete; ${added} entries of other platforms were written by hand.`);

/** npm looks in the package's own node_modules first, then in each folder above. */
function isLocked(place, name) {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    if (lock.packages[at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`] !== undefined) return true;
    if (at === "") return false;
  }
}

/** Platform packages carry their platform in the name: @scope/binding-linux-x64-musl. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const cpu = processors.find((processor) => words.includes(processor));
  const os = systems.find((system) => words.includes(system));
  const libc = words.some((word) => word.startsWith("musl")) ? "musl" : words.includes("gnu") ? "glibc" : undefined;
  return { ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc: [libc] } : {}), ...(os ? { os: [os] } : {}) };
}
