import { configDefaults, defineConfig } from "vitest/config";

/** They count the processes and descriptors of the process they run in, so they want one of their own. */
const sandbox = "packages/sandbox/src/**/*.test.ts";

// Three suites by what they need: `unit` only code, `integration` real processes and sockets, `page` a real Chromium.
export default defineConfig({
  test: {
    // Most tests wait for processes most of the time: three at a time keep two cores busy.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "test/architecture/**/*.test.ts"],
          exclude: [...configDefaults.exclude, sandbox],
          // Most of these files take less time than a process and its imports; none leaves anything behind for the next.
          isolate: false,
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", "examples/**/*.test.ts", sandbox],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: "page",
          include: ["test/page/**/*.test.ts"],
          testTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
          hookTimeout: 60_000,
          // A Chromium each, and after the others: what is drawn late looks like a failure.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
