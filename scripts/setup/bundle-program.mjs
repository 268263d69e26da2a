// Bundles packages/cli and all it uses into packages/cli/dist, with esbuild. What is imported lazily becomes a chunk of its own, so that
// `signalbox agent` loads neither the host nor the providers it does not use.
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "./bundle-options.mjs";
import { program, root } from "./paths.mjs";

// Into a folder of its own first: a build that fails leaves the program that works.
const finished = dirname(program);
const outdir = `${finished}.unfinished`;
const source = (path) => join(root, "packages", path);
rmSync(outdir, { recursive: true, force: true });

await build({
  ...bundleOptions,
  outdir,
  entryPoints: {
    main: source("cli/src/main.ts"),
    // A worker is started by its file.
    "changes-worker": source("host/src/acp/changes-worker.ts"),
    "history-worker": source("history-import/src/history-worker.ts"),
  },
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
});

// Each worker on its own: shared chunks would bring the whole register along, in every such thread.
await build({
  ...bundleOptions,
  outdir,
  entryPoints: {
    "image-worker": source("agent-kit/src/documents/image-worker.ts"),
    "line-worker": source("host/src/agents/line-worker.ts"),
    "pdf-worker": source("agent-kit/src/documents/pdf-worker.ts"),
  },
});
// The image library reads its WebAssembly file beside it.
const { resolve } = createRequire(source("agent-kit/package.json"));
const imageLibrary = dirname(resolve("@silvia-odwyer/photon-node"));
copyFileSync(join(imageLibrary, "photon_rs_bg.wasm"), join(outdir, "photon_rs_bg.wasm"));

rmSync(finished, { recursive: true, force: true });
renameSync(outdir, finished);
