// The file that is generated from the table of requests. `npm run fix` writes it again.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderProtocolDocs } from "./requests/describe-requests.ts";

const docs = join(import.meta.dirname, "../../../docs/protocol.md");

it("has a row in docs/protocol.md for every request and query", async () => {
  await expect(renderProtocolDocs(readFileSync(docs, "utf8"))).toMatchFileSnapshot(docs);
});

it("has no table cell of more than 40 words in docs/protocol.md", () => {
  const cells = readFileSync(docs, "utf8")
    .split("\n## Recordings")[0]
    ?.split("\n")
    .filter((line) => line.startsWith("|"))
    .flatMap((line) => line.split("|"));
  expect(cells?.filter((cell) => cell.split(/\s+/).length > 40)).toEqual([]);
});
