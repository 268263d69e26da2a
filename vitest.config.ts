import { defineConfig } from "vitest/config";

// Three suites by what they need: `unit` only code, `integration` real processes and sockets, `page` a real Chromium.
export default defineConfig({
  test: {
    // Most tests wait for processes most of the time: three at a time keep two cores busy.
    maxWorkers: 3,
    projects: [
      { test: { name: "unit", include: ["packages/*/src/**/*.test.ts", "test/architecture/**/*.test.ts"] } },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", "examples/**/*.test.ts"],
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
