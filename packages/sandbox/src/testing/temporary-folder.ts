// For tests: a real folder that is gone afterwards, with files, links and folders described as an object.
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Content of a file, `{ link }`, `{ hardLink }` to another entry, or null for a folder. */
export type Tree = Readonly<Record<string, string | null | { readonly link: string } | { readonly hardLink: string }>>;

export class TemporaryFolder implements Disposable {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-test-")));

  constructor(tree: Tree = {}) {
    for (const [name, entry] of Object.entries(tree)) {
      const path = this.at(name);
      mkdirSync(entry === null ? path : dirname(path), { recursive: true });
      if (entry === null) continue;
      if (typeof entry === "string") writeFileSync(path, entry);
      else if ("link" in entry) symlinkSync(entry.link, path);
      else linkSync(this.at(entry.hardLink), path);
    }
  }

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
