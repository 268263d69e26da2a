// Limits names and comments that read badly, and how much one interface of the host holds.
import { describe, expect, it } from "vitest";
import { endsInPreposition, isBareParticiple, type NamedThing, readNames } from "./readable-names.ts";

const names = readNames();

describe("names and comments", () => {
  it.each(["readModes", "describeExit", "logIn", "handOver", "isSandboxed"])("takes %s for a good name", (name) => {
    expect(endsInPreposition(name)).toBe(false);
  });

  it.each(["modesIn", "exitOf", "openCallAbout", "optionsFor"])(
    "takes %s for a name that ends in a preposition",
    (name) => {
      expect(endsInPreposition(name)).toBe(true);
    },
  );

  it.each(["Asked", "ToolCallsSeen", "Waiting"])("takes %s for a bare participle", (name) => {
    expect(isBareParticiple(name)).toBe(true);
  });

  it.each(["PermissionRequest", "PendingEntry", "Token", "Settings"])("takes %s for a noun", (name) => {
    expect(isBareParticiple(name)).toBe(false);
  });

  it("have functions of which fewer than 5 % end in a preposition", () => {
    const found = names.functions.filter(({ name }) => endsInPreposition(name));
    report(`functions that end in a preposition: ${found.length} of ${names.functions.length}`);
    expect(found.length, list(found)).toBeLessThan(names.functions.length * 0.05);
  });

  it("have fewer than 30 types that are bare participles; most of them are facts, which name events", () => {
    const found = names.types.filter(({ name }) => isBareParticiple(name));
    report(`types that are bare participles: ${found.length} of ${names.types.length}`);
    expect(found.length, list(found)).toBeLessThan(30);
  });

  it('have fewer than 100 comments that begin with "What"', () => {
    report(`comments that begin with "What": ${names.comments.length}`);
    expect(names.comments.length, list(names.comments)).toBeLessThan(100);
  });

  it("have no interface in the host with more than 10 members", () => {
    const inHost = names.shapes.filter(({ path }) => path.startsWith("packages/host/"));
    report(`members of the largest interface in the host: ${Math.max(...inHost.map(({ members }) => members))}`);
    const found = inHost.filter(({ members }) => members > 10);
    expect(found, list(found)).toEqual([]);
  });
});

/** `npm run check` shows the figures. */
function report(figure: string): void {
  console.log(figure);
}

function list(found: readonly NamedThing[]): string {
  return found.map(({ name, path, line }) => `${path}:${line} ${name}`).join("\n");
}
