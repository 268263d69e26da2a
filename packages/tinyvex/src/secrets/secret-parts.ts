// Decides what is a secret in the strings of a log: what looks like one, what a field is named after, and other places of the same text.
import { type FoundSecret, findSecrets, isSecretName, type SecretKind } from "@signalbox/tool-calls";

export interface SecretPart {
  readonly kind: SecretKind | "repeated";
  readonly start: number;
  readonly end: number;
}

/** Ids and folders stay as they are: everything else refers to them. */
const isReference = /^(?:id|cwd)$|Id$|_id$/;
const isReplaced = /^\*+$/;
const minNamedLength = 4;
/** A secret that is long and random enough is one wherever it stands. */
const isRandom = /^(?=.*\d)(?=.*[a-z])[\w+/=-]{12,}$/i;

export class SecretParts {
  /** Secrets that were found somewhere and are looked for everywhere. */
  readonly #known = new Set<string>();

  /** Of a string that is the value of `field`, or a field's name itself. */
  inString(text: string, field: string | undefined, isKey: boolean): readonly SecretPart[] {
    if (isKey) return this.inText(text);
    if (field !== undefined) {
      if (isReference.test(field)) return [];
      if (text.length >= minNamedLength && isSecretName(field) && !isReplaced.test(text))
        return [{ kind: "named", start: 0, end: text.length }];
    }
    return this.inText(text);
  }

  inText(text: string): readonly SecretPart[] {
    const found = findSecrets(text);
    return this.#known.size === 0 ? found : this.#withKnown(text, found);
  }

  /** From now on this text is found everywhere, if it is long and random. True when that is new. */
  remember(secret: string): boolean {
    if (!isRandom.test(secret) || this.#known.has(secret)) return false;
    this.#known.add(secret);
    return true;
  }

  #withKnown(text: string, found: readonly FoundSecret[]): readonly SecretPart[] {
    const parts: SecretPart[] = [...found];
    for (const secret of this.#known) {
      for (let start = text.indexOf(secret); start >= 0; start = text.indexOf(secret, start + secret.length)) {
        const end = start + secret.length;
        if (!parts.some((part) => part.start < end && start < part.end)) parts.push({ kind: "repeated", start, end });
      }
    }
    return parts.toSorted((one, other) => one.start - other.start);
  }
}
