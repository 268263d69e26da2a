// Bundles packages/cli and all it uses into packages/cli/dist. What is imported lazily becomes a chunk of its own, so that
// `signalbox agent` loads neither the host nor the providers it does not use.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { program, root } from "./paths.mjs";

const outdir = dirname(program);
rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { main: join(root, "packages/cli/src/main.ts") },
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  chunkNames: "chunks/[name]-[hash]",
  sourcemap: "linked",
  legalComments: "none",
  logLevel: "warning",
  // CommonJS packages inside an ESM bundle ask for `require`.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
