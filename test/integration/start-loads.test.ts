// What the built program loads before the host is ready: whatever is not needed for that makes every start slower and bigger.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { program } from "../support/host-process.ts";

it("a host that starts loads neither the reports nor ACP's schemas", () => {
  const [, serve = ""] = /import\("(\.\/chunks\/serve-\w+\.js)"\)/.exec(readFileSync(program, "utf8")) ?? [];
  const loaded = sourcesOf(join(dirname(program), serve));
  expect(loaded).toContain("packages/host/src/server/server.ts");
  const unneeded = /node_modules\/(?:string-width|diff|pg|@agentclientprotocol)\/|host\/src\/reports\//;
  expect(loaded.filter((source) => unneeded.test(source))).toEqual([]);
});

/** The sources in a chunk and in those that it imports statically; the bundler names each in a comment. */
function sourcesOf(chunk: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(chunk)) return [];
  seen.add(chunk);
  const text = readFileSync(chunk, "utf8");
  const own = [...text.matchAll(/^\/\/ ((?:packages|node_modules)\/\S+)$/gm)].map(([, source = ""]) => source);
  const imported = [...text.matchAll(/^(?:import|\} from) ?(?:\{[^}]*\} from )?"(\.[^"]+)";$/gm)];
  return [...own, ...imported.flatMap(([, path = ""]) => sourcesOf(join(dirname(chunk), path), seen))];
}
