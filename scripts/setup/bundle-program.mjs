// Bundles packages/cli and all it uses into packages/cli/dist. What is imported lazily becomes a chunk of its own, so that
// `signalbox agent` loads neither the host nor the providers it does not use.
import { copyFileSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { program, root } from "./paths.mjs";

// CommonJS packages inside an ESM bundle ask for `require`. It finds only what Node itself has: some packages try whether another one is
// there, and Node would look for it in every `node_modules` above, where a command of an agent can put one.
const onlyBuiltIns = [
  'import { createRequire as __createRequire, isBuiltin as __isBuiltin } from "node:module";',
  "const __nodeRequire = __createRequire(import.meta.url);",
  'const require = (name) => { if (__isBuiltin(name)) return __nodeRequire(name); throw Object.assign(new Error("Cannot find module " + name), { code: "MODULE_NOT_FOUND" }); };',
].join(" ");

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
/**
 * Parts of Node that take 5 to 30 ms to load, most of all `http` as an ES module, which reads the lazy `WebSocket` and so loads all of fetch.
 * A program that imports one loads it when it first uses something of it.
 */
const lazyBuiltIns = {
  name: "lazy-built-ins",
  setup: (builder) => {
    builder.onResolve({ filter: /^(node:)?(crypto|http|https|tls|util|zlib)$/ }, ({ path }) => ({
      path: path.replace("node:", ""),
      namespace: "built-in",
    }));
    builder.onLoad({ filter: /./, namespace: "built-in" }, ({ path }) => {
      const getters = Object.keys(process.getBuiltinModule(path)).map(
        (key) => `get ${key}() { return load().${key}; }`,
      );
      return {
        contents: `const load = () => process.getBuiltinModule("${path}");\nmodule.exports = { ${getters.join(", ")} };`,
      };
    });
  },
};
/**
 * The provider packages use `Headers` only to add one to a list, and Node's loads all of fetch: 16 MB and 20 ms that no request of theirs needs.
 * Node's streams take a tenth of the time of a tool call in a turn; those packages only pass pieces on.
 */
const plainParts = {
  name: "plain-parts",
  setup: (builder) => {
    const [headers, streams] = ["plain-headers.ts", "plain-streams.ts"].map((name) =>
      JSON.stringify(join(root, "packages/agent/src/providers", name)),
    );
    const imports = [
      `import { PlainHeaders as Headers } from ${headers};`,
      `import { PlainReadable as ReadableStream, PlainTransform as TransformStream, PlainTextDecoder as TextDecoderStream } from ${streams};`,
    ].join(" ");
    const isProvider = /[\\/](@ai-sdk[\\/][a-z-]+|@openrouter[\\/]ai-sdk-provider)[\\/]dist[\\/]index\.m?js$/;
    const load = ({ path }) => ({ contents: `${imports}\n${readFileSync(path, "utf8")}` });
    builder.onLoad({ filter: isProvider }, load);
    // MCP's own copy of it stays as it is: its streams are Node's.
    builder.onResolve({ filter: /^eventsource-parser\/stream$/ }, ({ path, importer }) =>
      isProvider.test(importer)
        ? {
            path: createRequire(importer)
              .resolve(path)
              .replace(/\.cjs$/, ".js"),
            namespace: "plain-parts",
          }
        : undefined,
    );
    builder.onLoad({ filter: /./, namespace: "plain-parts" }, (file) => ({
      ...load(file),
      resolveDir: dirname(file.path),
    }));
  },
};
const options = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  sourcemap: "linked",
  legalComments: "none",
  logLevel: "warning",
  plugins: [englishOnly, lazyBuiltIns, plainParts],
  // A smaller text is less memory. Names stay as they are, for the stacks of errors.
  minifyWhitespace: true,
  minifySyntax: true,
  // Its other form loads its parts by a `require` that no bundler sees.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  banner: { js: onlyBuiltIns },
};
const { metafile } = await build({
  ...options,
  metafile: true,
  entryPoints: {
    main: join(root, "packages/cli/src/main.ts"),
    // A worker is started by its file.
    "changes-worker": join(root, "packages/host/src/acp/changes-worker.ts"),
    "history-worker": join(root, "packages/history-import/src/history-worker.ts"),
  },
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
});
/** What is imported lazily is in its chunk, but not the command that is started most often: our agent answers `initialize` from this one file. */
const inChunks = {
  name: "in-chunks",
  setup: (builder) => {
    const chunks = new Map(
      Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [
        entryPoint && join(root, entryPoint),
        `./${relative(outdir, join(root, path))}`,
      ]),
    );
    builder.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import" || path === "./agent.ts") return undefined;
      const chunk = chunks.get(join(resolveDir, path));
      if (chunk === undefined) throw new Error(`${path} is in no chunk`);
      return { path: chunk, external: true };
    });
  },
};
// Again as one file: each further file takes Node a millisecond at the start.
await build({
  ...options,
  entryPoints: { main: join(root, "packages/cli/src/main.ts") },
  plugins: [...options.plugins, inChunks],
  banner: {},
  allowOverwrite: true,
});
// On its own: what it shares with the rest would bring the whole register along, in every such thread.
/** The image library is CommonJS and reads its WebAssembly file beside it. */
const imageLibrary = dirname(
  createRequire(join(root, "packages/agent-kit/package.json")).resolve("@silvia-odwyer/photon-node"),
);
const workers = {
  "image-worker": join(root, "packages/agent-kit/src/documents/image-worker.ts"),
  "line-worker": join(root, "packages/host/src/agents/line-worker.ts"),
  "pdf-worker": join(root, "packages/agent-kit/src/documents/pdf-worker.ts"),
};
await build({
  ...options,
  entryPoints: workers,
  banner: { js: `${onlyBuiltIns} const __dirname = import.meta.dirname;` },
});
copyFileSync(join(imageLibrary, "photon_rs_bg.wasm"), join(outdir, "photon_rs_bg.wasm"));
rmSync(finished, { recursive: true, force: true });
renameSync(outdir, finished);
