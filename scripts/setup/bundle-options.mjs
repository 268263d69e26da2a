// How third-party and own modules are bundled: for the program that ships, and for `npm run test:bundle`.
import { root } from "./paths.mjs";

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

export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // Without esbuild's own condition `module`: the files of a package that Node, and so the tests, would load.
  conditions: [],
  sourcemap: "linked",
  legalComments: "none",
  logLevel: "warning",
  plugins: [englishOnly],
  // A smaller text is less memory. Names stay as they are, for the stacks of errors.
  minifyWhitespace: true,
  minifySyntax: true,
  // The form that Node would load finds its parts by a `require` that no bundler sees.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  banner: { js: commonJs },
};
