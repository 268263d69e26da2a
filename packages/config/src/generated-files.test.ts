// The files that are generated from config-schema.ts. `npm run fix` writes them again.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderConfigDocs } from "./config-docs.ts";
import { publishedSchema } from "./describe-keys.ts";

const schema = join(import.meta.dirname, "../config.schema.json");
const docs = join(import.meta.dirname, "../../../docs/config.md");

it("publishes the schema that files are checked with", async () => {
  await expect(`${JSON.stringify(publishedSchema(), null, 2)}\n`).toMatchFileSnapshot(schema);
});

it("has a row in docs/config.md for every key", async () => {
  await expect(renderConfigDocs(readFileSync(docs, "utf8"))).toMatchFileSnapshot(docs);
});
