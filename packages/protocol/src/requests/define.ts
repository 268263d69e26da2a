// Declares how a request of the table is written: a sentence for the docs, its parameters as a schema, and its result as a type.
import type { z } from "zod";

/** A type in a place where only values can stand, with the fields that the docs name. */
export interface ResultType<Result> {
  readonly fields: readonly string[];
  /** Never set: it carries the type. */
  readonly type?: Result;
}

export function result<Result>(...fields: readonly (keyof Result & string)[]): ResultType<Result> {
  return { fields };
}

/** A request that does something. `control` on the wire is its name. */
export interface ActionDefinition {
  /** One sentence for the docs. */
  readonly about: string;
  readonly params: z.ZodObject;
  readonly result: ResultType<unknown>;
  /** The `type` of the answer on the wire; without it `tinyvex.ok`. */
  readonly answer?: "run.submitted" | "tinyvex.pong" | "tinyvex.snapshot";
  /** Another machine may send it, for a thread of this one. */
  readonly remote?: true;
  /** The rights of a paired device: absent means those of the owner, `itself` only with the device's own id. */
  readonly device?: "never" | "itself";
}

/** A request that reads rows. It travels as `tvx.query` with its name and arguments. */
export interface QueryDefinition {
  /** One sentence for the docs. */
  readonly about: string;
  readonly params: z.ZodObject;
  readonly row: ResultType<unknown>;
  /** Refused for a thread of another machine, with this beginning of a sentence that ends in "only there". */
  readonly onlyThere?: string;
}
