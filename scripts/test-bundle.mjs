// `npm run test:bundle`: the unit tests once more, as entry points of the bundle that ships. They then run our code and third-party packages as
// esbuild puts them together: the files it chooses, its way from CommonJS to ES modules, what it leaves out.
// Words after `--` go to vitest, as with `npm test`.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { programPackages } from "./setup/build.mjs";
import { bundleProgram } from "./setup/bundle-program.mjs";
import { program, root } from "./setup/paths.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";
import { runVitest } from "./setup/vitest.mjs";

/** Test code finds its data by the place of its source file, also when it runs elsewhere. The code under test gets no such help. */
const testPlaces = {
  name: "test-places",
  setup: (builder) => {
    builder.onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
      if (!isTestCode(relative(root, path))) return undefined;
      const contents = readFileSync(path, "utf8")
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)));
      return { contents, loader: "ts" };
    });
  },
};

function isTestCode(path) {
  if (path.startsWith("node_modules/") || path.includes("/node_modules/")) return false;
  return !/^packages\/[^/]+\/src\//.test(path) || /\.test\.ts$|\/(testing|contract|escape-attempts)\//.test(path);
}

const { node } = await orExplain(() => setUp({ build: true }));
const manifests = [".", ...programPackages].map((folder) => join(root, folder, "package.json"));
const tests = programPackages
  .flatMap((folder) =>
    readdirSync(join(root, folder, "src"), { recursive: true }).map((name) => join(folder, "src", name)),
  )
  .filter((name) => name.endsWith(".test.ts"));
await bundleProgram(join(dirname(program), "tests"), {
  entryPoints: Object.fromEntries(tests.map((name) => [name.slice(0, -".ts".length), join(root, name)])),
  external: [
    // The tools of the tests are not part of the program.
    ...manifests.flatMap((path) => Object.keys(JSON.parse(readFileSync(path, "utf8")).devDependencies ?? {})),
    // The program has it in a worker only, beside its WebAssembly file.
    "@silvia-odwyer/photon-node",
  ],
  plugins: [testPlaces],
});
const { passed, failed } = await runVitest(node, ["--config", "vitest.bundle.config.ts", ...process.argv.slice(2)]);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
