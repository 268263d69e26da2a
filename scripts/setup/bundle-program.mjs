// Bundles packages/cli and all it uses into packages/cli/dist, with esbuild. What is imported lazily becomes a chunk of its own, so that
// `signalbox agent` loads neither the host nor the providers it does not use.
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { program, root } from "./paths.mjs";

const packageFile = (path) => join(root, "packages", path);

// CommonJS packages inside an ESM bundle ask for `require` and `__dirname`. This `require` finds only what Node itself has: some packages try
// whether another one is there, and Node would look for it in every `node_modules` above, where a command of an agent can put one.
const commonJs = [
  'import { createRequire as __createRequire, isBuiltin as __isBuiltin } from "node:module";',
  "const __nodeRequire = __createRequire(import.meta.url);",
  'const require = (name) => { if (__isBuiltin(name)) return __nodeRequire(name); throw Object.assign(new Error("Cannot find module " + name), { code: "MODULE_NOT_FOUND" }); };',
  "const __dirname = import.meta.dirname;",
].join(" ");

/** Zod brings its messages in fifty languages, a fifth of what `signalbox agent` loads. Ours are English. */
const englishOnly = {
  name: "english-only",
  setup: (builder) => {
    const contents = 'export { default as en } from "./en.js";';
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents }));
  },
};

const options = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // Without esbuild's own condition `module`: the bundle has the same files of a package as the tests, which Node loads.
  conditions: [],
  sourcemap: "linked",
  legalComments: "none",
  logLevel: "warning",
  plugins: [englishOnly],
  // A smaller text is less memory. Names stay as they are, for the stacks of errors.
  minifyWhitespace: true,
  minifySyntax: true,
  // The file that Node would load finds its parts by a `require` that no bundler sees.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  banner: { js: commonJs },
  // The PDF library looks for fonts of another package, in every folder above, and does without where this throws.
  define: { "import.meta.resolve": "undefined" },
};

/** `tests` adds entry points to the program, with what they need (`npm run test:bundle`). */
export async function bundleProgram(outdir, tests = { entryPoints: {}, external: [], plugins: [] }) {
  rmSync(outdir, { recursive: true, force: true });
  const entryPoints = {
    main: packageFile("cli/src/main.ts"),
    // A worker is started by its file.
    "changes-worker": packageFile("host/src/acp/changes-worker.ts"),
    "history-worker": packageFile("history-import/src/history-worker.ts"),
    ...tests.entryPoints,
  };
  const plugins = [...options.plugins, ...tests.plugins];
  const splitting = { splitting: true, chunkNames: "chunks/[name]-[hash]" };
  await build({ ...options, ...splitting, outdir, entryPoints, plugins, external: tests.external });
  // Each of these on its own: shared chunks would bring the whole register along, in every such thread.
  const workers = {
    "image-worker": packageFile("agent-kit/src/documents/image-worker.ts"),
    "line-worker": packageFile("host/src/agents/line-worker.ts"),
    "pdf-worker": packageFile("agent-kit/src/documents/pdf-worker.ts"),
  };
  await build({ ...options, outdir, entryPoints: workers });
  // The image library reads its WebAssembly file beside it.
  const library = createRequire(packageFile("agent-kit/package.json")).resolve("@silvia-odwyer/photon-node");
  copyFileSync(join(dirname(library), "photon_rs_bg.wasm"), join(outdir, "photon_rs_bg.wasm"));
}

if (import.meta.main) {
  // Into a folder of its own first: a build that fails leaves the program that works.
  const unfinished = `${dirname(program)}.unfinished`;
  await bundleProgram(unfinished);
  rmSync(dirname(program), { recursive: true, force: true });
  renameSync(unfinished, dirname(program));
}
