// Runs the bundled unit tests, which `npm run test:bundle` makes (scripts/test-bundle.mjs).
import { basename, dirname, join, relative } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { globalSetup, ownProcess, patient, unitSetup } from "./vitest.config.ts";

const folder = "packages/cli/dist/tests";

export default defineConfig({
  test: {
    name: "bundle",
    include: [`${folder}/packages/**/*.test.js`],
    exclude: [...configDefaults.exclude, `${folder}/${ownProcess.replace(/ts$/, "js")}`],
    ...patient,
    ...unitSetup,
    maxWorkers: 4,
    globalSetup,
    // The snapshots lie beside the sources, and none is written here.
    update: "none",
    resolveSnapshotPath: (path, extension) => {
      const source = relative(join(import.meta.dirname, folder), path).replace(/js$/, "ts");
      return join(import.meta.dirname, dirname(source), "__snapshots__", basename(source) + extension);
    },
  },
});
