import { defineConfig } from "vitest/config";

// Three suites by what they need: `unit` only code, `integration` real processes and sockets, `page` a real Chromium.
export default defineConfig({
  test: {
    // By default vitest leaves one core free, and with it half of a machine with two.
    maxWorkers: 2,
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
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
