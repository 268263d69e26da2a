// Builds what is stale: the program (esbuild, one bundle with lazy chunks) and the page (vite). Stale means that a source file is
// newer, gone or new since the last build.
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inToolchain, program, root } from "./paths.mjs";
import { printProgress, run } from "./step.mjs";

/** The packages that the program is made from. */
export const programPackages = [
  "packages/base",
  "packages/rules",
  "packages/protocol",
  "packages/tool-calls",
  "packages/sandbox",
  "packages/config",
  "packages/agent-kit",
  "packages/tinyvex",
  "packages/checkpoints",
  "packages/reports",
  "packages/history-import",
  "packages/many-machines",
  "packages/host",
  "packages/agent",
  "packages/claude-agent",
  "packages/cli",
];

const parts = [
  {
    name: "program",
    made: program,
    sources: programPackages,
    build: (node) => run("built the program", node, ["scripts/setup/bundle-program.mjs"], { cwd: root }),
  },
  {
    name: "page",
    made: join(root, "packages/ui/dist/index.html"),
    sources: ["packages/base", "packages/rules", "packages/protocol", "packages/react", "packages/ui"],
    build: (node) =>
      run("built the page", node, ["node_modules/vite/bin/vite.js", "build", "packages/ui", "--logLevel", "warn"], {
        cwd: root,
        // Vite obeys a NODE_ENV that is there: with another one the page would have the slow React for developers.
        env: { ...process.env, NODE_ENV: "production" },
      }),
  },
];

export async function ensureBuild(node) {
  const begun = new Date();
  await buildStale(node);
  // `./signalbox` asks only whether a file is newer than this, so it bears the time before the sources were looked at.
  const checked = inToolchain("checked");
  writeFileSync(checked, "");
  utimesSync(checked, begun, begun);
}

async function buildStale(node) {
  const stale = parts
    .map((part) => ({ ...part, stamp: inToolchain(`built-${part.name}`), state: stateOf(part.sources) }))
    .filter(
      (part) => !existsSync(part.made) || !existsSync(part.stamp) || readFileSync(part.stamp, "utf8") !== part.state,
    );
  if (stale.length === 0) return;
  printProgress(`Building the ${stale.map((part) => part.name).join(" and the ")} …`);
  await Promise.all(
    stale.map(async (part) => {
      await part.build(node);
      writeFileSync(part.stamp, part.state);
    }),
  );
}

/** Names, sizes and times of every file a part is made from: cheap to take at each start, and different after any edit. */
function stateOf(sources) {
  const lines = [];
  const addFile = (path) => {
    const { size, mtimeMs } = statSync(path);
    lines.push(`${path.slice(root.length)} ${size} ${mtimeMs}`);
  };
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (
        entry.name === "dist" ||
        entry.name === "node_modules" ||
        entry.name === "bench" ||
        entry.name.includes(".test.")
      )
        continue;
      if (entry.isDirectory()) walk(join(folder, entry.name));
      else addFile(join(folder, entry.name));
    }
  };
  addFile(join(root, "package-lock.json"));
  walk(join(root, "scripts/setup"));
  for (const source of sources) walk(join(root, source));
  return lines.join("\n");
}
