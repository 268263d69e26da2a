// Says who denied a call, or left a question without an answer, where no person did, in the `_meta` of the answer, so that a model is not told that a
// person said no. ACP has no field for it.
import { metaField, readComment } from "./comment.ts";
import { afterRefusal } from "./permission.ts";

/** `rule`, `command` (no one is there to be asked), `timeout` or `sandbox`. */
export const deniedByKey = "signalbox/denied-by";

/** Returns the model's explanation of a denial that no person made; undefined if a person made it. */
export function deniedByNoPerson(outcome: { readonly _meta?: unknown }): string | undefined {
  switch (metaField(outcome._meta, deniedByKey)) {
    case "command":
      return "No rule allows this, and no one is there to be asked. Do not do the same thing by other means. Continue without it, and say at the end what has to be allowed.";
    case "rule":
      return `A rule of the user does not allow this. ${afterRefusal}`;
    case "timeout":
      return "No one answered in time whether this is allowed. Do not do the same thing by other means. Continue without it, or ask in words.";
    case "sandbox":
      return readComment(outcome) ?? `Signalbox does not allow this. ${afterRefusal}`;
    default:
      return undefined;
  }
}

/** Returns the model's explanation of a question that no person declined; undefined if a person did, or the turn was cancelled. */
export function unansweredByNoPerson(outcome: { readonly _meta?: unknown }): string | undefined {
  switch (metaField(outcome._meta, deniedByKey)) {
    case "command":
      return "No one is there to be asked. Do not ask again; decide it yourself where nothing can be lost, and say at the end what you decided, or what is left to decide.";
    case "timeout":
      return "No one answered in time. Do not ask again; decide it yourself where nothing can be lost, and say what you decided, or what is left to decide.";
    case "rule":
      return "A rule of the user does not allow questions. Do not ask again; go on without an answer.";
    default:
      return undefined;
  }
}
