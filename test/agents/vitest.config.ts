import { defineConfig } from "vitest/config";

// `npm run test:agents`: real agents from npm, driven by the built host, against a scripted model on loopback.
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ["test/agents/**/*.test.ts"],
    // The first run installs the agents.
    hookTimeout: 400_000,
    testTimeout: 90_000,
    fileParallelism: false,
  },
});
