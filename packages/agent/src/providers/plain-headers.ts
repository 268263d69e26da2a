// Headers of a request or an answer, without the built-in class: touching that one loads all of Node's fetch, 16 MB that a provider does not need.
// The bundle gives it to the provider packages too (scripts/setup/bundle-program.mjs).

type Init = Iterable<readonly string[]> | Readonly<Record<string, string | undefined>> | null | undefined;

/** Names are in lower case, as in the built-in one. Several values of a name are joined by commas. */
export class PlainHeaders extends Map<string, string> {
  constructor(init?: Init) {
    super();
    const pairs = init === null || init === undefined ? [] : Symbol.iterator in init ? init : Object.entries(init);
    for (const [name = "", value] of pairs) if (value !== undefined) this.append(name, value);
  }

  append(name: string, value: string): void {
    const before = super.get(name.toLowerCase());
    super.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }

  /** Undefined where there is none. The built-in one has null there: the provider packages do not tell the two apart. */
  override get(name: string): string | undefined {
    return super.get(name.toLowerCase());
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase());
  }

  override set(name: string, value: string): this {
    return super.set(name.toLowerCase(), value);
  }

  override delete(name: string): boolean {
    return super.delete(name.toLowerCase());
  }
}
