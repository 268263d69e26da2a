// Bundles packages/cli and all it uses into packages/cli/dist. What is imported lazily becomes a chunk of its own, so that
// `signalbox agent` loads neither the host nor the providers it does not use.
import { renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { program, root } from "./paths.mjs";

// Into a folder of its own first: a build that fails leaves the program that works.
const finished = dirname(program);
const outdir = `${finished}.unfinished`;
rmSync(outdir, { recursive: true, force: true });
/** Zod brings its messages in fifty languages, a fifth of what `signalbox agent` loads. Ours are English. */
const englishOnly = {
  name: "english-only",
  setup: (builder) => {
    const contents = 'export { default as en } from "./en.js";';
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents }));
  },
};
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
  plugins: [englishOnly],
  // CommonJS packages inside an ESM bundle ask for `require`.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
rmSync(finished, { recursive: true, force: true });
renameSync(outdir, finished);
