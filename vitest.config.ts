import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that count the processes and descriptors of the process they run in, so they want one of their own. */
export const ownProcess =
  "packages/sandbox/src/{launch/launcher,loopback/session-loopback,run-command/run-command}.test.ts";

/** Short files that take long, or wait long. The last one to start would be alone at the end. */
const slow =
  /(escape-attempts|end-to-end|crash|host-hostile|host-sessions|shared-reading|shared-control|projection\/projection|compare-texts|bash-fuzz|random-rounds|misbehaving-server|accessibility|start-page|page\/(agent-activity|devices|first-minute|machines|mcp-servers|open-ports|packages|search|ten-thousand-threads|threads))\.test/;

/** In a fresh clone vitest knows only the sizes of the files, and starts the largest first. */
class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's
    const sorted = await super.sort(files);
    return [
      ...sorted.filter(({ moduleId }) => slow.test(moduleId)),
      ...sorted.filter(({ moduleId }) => !slow.test(moduleId)),
    ];
  }
}

/** Speed is a benchmark: a test only has to end, also on a machine that is busy with other things. */
export const patient = { testTimeout: 120_000, hookTimeout: 60_000, expect: { poll: { timeout: 45_000 } } };

/** They end in the other order: what uses the folder first. */
export const globalSetup = [
  "test/support/temporary-files.ts",
  "test/support/one-postgres.ts",
  "test/support/end-of-run.ts",
];

/** Most of these files take less time than a process and its imports; none leaves anything behind for the next. */
export const unitSetup = { isolate: false, setupFiles: ["test/support/same-random-values.ts"] };

// Suites by what they need: `unit` only code, `integration` real processes and sockets, `sandbox` a process of its own, `page` a real Chromium.
export default defineConfig({
  test: {
    // Most tests wait for processes most of the time: four at a time keep two cores busy.
    maxWorkers: 4,
    globalSetup,
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "test/architecture/**/*.test.ts", "test/faults/*.test.ts"],
          exclude: [...configDefaults.exclude, ownProcess],
          ...patient,
          ...unitSetup,
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", "examples/**/*.test.ts"],
          ...patient,
          // A process for each file costs more than many of them.
          isolate: false,
          setupFiles: ["test/support/after-each-file.ts"],
        },
      },
      { test: { name: "sandbox", include: [ownProcess], ...patient } },
      {
        test: {
          name: "page",
          include: ["test/page/**/*.test.ts"],
          ...patient,
          // A Chromium each, which the files of a worker share, and after the others: what is drawn late looks like a failure.
          maxWorkers: 3,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
