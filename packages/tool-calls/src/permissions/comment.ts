// A person's comment on a denial, in the `_meta` of the answer, because ACP has no field for it. An agent that reads it says so in its capabilities.

export const commentKey = "signalbox/comment";

/** Whether an agent says in the `_meta` of its capabilities that it reads comments: `"signalbox/comment": true`. */
export function readsComments(capabilities: { readonly _meta?: unknown }): boolean {
  return metaField(capabilities._meta, commentKey) === true;
}

/** The comment in the outcome of a question; undefined when there is none. */
export function readComment(outcome: { readonly _meta?: unknown }): string | undefined {
  const comment = metaField(outcome._meta, commentKey);
  return typeof comment === "string" && comment.trim() !== "" ? comment : undefined;
}

/** A field of `_meta`, of which nothing is known. */
export function metaField(meta: unknown, key: string): unknown {
  return typeof meta === "object" && meta !== null ? new Map(Object.entries(meta)).get(key) : undefined;
}
