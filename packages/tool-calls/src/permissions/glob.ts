// Globs of permission rules. In a tool's name `*` is any text; in a path `*` stays inside one folder and `**` does not. Matched letter by
// letter, every way at once: a rule may be a stranger's, and as a regular expression a few stars can take for ever.

/** Letters that fit, one or as many as there are; or a fork: the next steps may be left out. */
type Step = { readonly fits: (letter: string) => boolean; readonly many: boolean } | { readonly skip: number };

const anyText: Step = { fits: () => true, many: true };
const textInFolder: Step = { fits: (letter) => letter !== "/", many: true };
const letterInFolder: Step = { fits: (letter) => letter !== "/", many: false };

export class Glob {
  readonly #steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  test(text: string): boolean {
    let places = this.#reachable([0]);
    for (let at = 0; at < text.length && places.size > 0; at++) {
      const letter = text.charAt(at);
      places = this.#reachable([...places].flatMap((place) => this.#after(place, letter)));
    }
    return places.has(this.#steps.length);
  }

  #after(place: number, letter: string): number[] {
    const step = this.#steps[place];
    if (step === undefined || "skip" in step || !step.fits(letter)) return [];
    return [step.many ? place : place + 1];
  }

  /** These places, and all to which no letter is needed. */
  #reachable(places: readonly number[]): ReadonlySet<number> {
    const reached = new Set(places);
    // What is added on the way is walked through, too.
    for (const place of reached) {
      const step = this.#steps[place];
      if (step === undefined) continue;
      if ("skip" in step) reached.add(place + 1).add(place + 1 + step.skip);
      else if (step.many) reached.add(place + 1);
    }
    return reached;
  }
}

export function nameGlob(pattern: string): Glob {
  return new Glob(pattern.split("").map((letter) => (letter === "*" ? anyText : literally(letter))));
}

export function pathGlob(pattern: string): Glob {
  const tokens = pattern.match(/\*\*\/|\/\*\*$|\*\*|[^]/g) ?? [];
  return new Glob(
    tokens.flatMap((token): Step[] => {
      switch (token) {
        case "**/":
          return [{ skip: 2 }, anyText, literally("/")];
        case "/**":
          return [{ skip: 2 }, literally("/"), anyText];
        case "**":
          return [anyText];
        case "*":
          return [textInFolder];
        case "?":
          return [letterInFolder];
        default:
          return [literally(token)];
      }
    }),
  );
}

function literally(wanted: string): Step {
  return { fits: (letter) => letter === wanted, many: false };
}
