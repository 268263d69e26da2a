// Where a string of a payload lies when it does not lie in the payload.

/**
 * A cut: `at` in the stored text, the bytes from `start` to `end` of a blob belong there. As a `string`, inside its quotes;
 * as `json`, the beginning of the text itself (one at most, put back first).
 */
export interface Cut {
  readonly at: number;
  readonly blobId: number;
  readonly start: number;
  readonly end: number;
  readonly as: "string" | "json";
}

export type Place = Pick<Cut, "blobId" | "start" | "end">;
