// The style sheets use the scale of tokens.css: five font sizes, three radii, a grid of 4 px, two shadows, two durations, no colours of their own.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./source-files.ts";

const folder = "packages/ui/src/styles";
const scale = `${folder}/tokens.css`;

interface Declaration {
  /** threads.css:12 */
  readonly place: string;
  readonly property: string;
  readonly value: string;
}

function readDeclarations(path: string): readonly Declaration[] {
  // Comments keep their line breaks, so that the lines are still counted.
  const text = readFileSync(join(root, path), "utf8").replace(/\/\*[^]*?\*\//g, (comment) =>
    comment.replace(/[^\n]/g, ""),
  );
  return [...text.matchAll(/(?<=[{;])\s*([\w-]+)\s*:\s*([^;{}]+)(?=[;}])/g)].map((match) => {
    const [whole, property = "", value = ""] = match;
    const line = text.slice(0, match.index + whole.indexOf(property)).split("\n").length;
    return { place: `${path.slice(folder.length + 1)}:${line}`, property, value: value.replaceAll(/\s+/g, " ").trim() };
  });
}

const declarations = globSync(`${folder}/*.css`, { cwd: root })
  .filter((path) => path !== scale)
  .flatMap(readDeclarations);

/** The declarations of these properties whose value is not on the scale. */
function findOthers(property: RegExp, isOnScale: (value: string) => boolean): readonly string[] {
  return declarations
    .filter((each) => property.test(each.property) && !isOnScale(each.value))
    .map(({ place, property: name, value }) => `${place} ${name}: ${value}`);
}

const hasOnly = (part: RegExp) => (value: string) =>
  value
    .replaceAll(/ ?!important/g, "")
    .split(/[\s/]+/)
    .every((each) => part.test(each));

describe("the style sheets", () => {
  it("use five font sizes", () => {
    expect(findOthers(/^font-size$/, hasOnly(/^(var\(--t[1-5]\)|inherit)$/))).toEqual([]);
    expect(findOthers(/^font$/, (value) => /^(inherit|var\(--(ui|mono)\)|.*var\(--t[1-5]\).*)$/.test(value))).toEqual(
      [],
    );
  });

  it("use three weights", () => {
    expect(findOthers(/^font-weight$/, hasOnly(/^(400|500|600|inherit)$/))).toEqual([]);
  });

  it("use three radii", () => {
    expect(findOthers(/^border(-\w+)*-radius$/, hasOnly(/^(0|inherit|var\(--r[123]\))$/))).toEqual([]);
  });

  // A hairline is one pixel; a part of the room (vh, %) has no place on a grid.
  it("keep their distances on the grid", () => {
    const part =
      /^(0|auto|inherit|-?1px|-?\d+(vh|dvh|%)|var\(--[\w-]+\)|calc\(|0px|[-+*]|var\(--[\w-]+\)\)+|\(?1px\)?)$/;
    const isOnGrid = (value: string) => hasOnly(part)(value.replaceAll("calc(", "calc( "));
    expect(findOthers(/^(scroll-)?(margin|padding)(-\w+)*$|^((row|column)-)?gap$/, isOnGrid)).toEqual([]);
  });

  // Edges and rings without blur are lines, not shadows.
  it("use two shadows", () => {
    const line = /^(inset )?0 (0 0 \d+(\.\d+)?px|\d+px) \S.*$/;
    const isOnScale = (value: string) => /^(none|var\(--(shadow-[12]|ring|halo)\))$/.test(value) || line.test(value);
    expect(findOthers(/^box-shadow$/, isOnScale)).toEqual([]);
  });

  it("move within 120 ms or 180 ms", () => {
    const isOnScale = (value: string) =>
      value.startsWith("none") ||
      value.split(/,(?![^(]*\))/).every((each) => /var\(--(fast|calm)\) var\(--ease\)$/.test(each));
    expect(findOthers(/^transition$/, isOnScale)).toEqual([]);
  });

  it("have no colours of their own", () => {
    const own = /#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|light-dark)\(/i;
    expect(findOthers(/./, (value) => !own.test(value))).toEqual([]);
  });
});
