// Where a string of a payload lies when it does not lie in the payload.

/** A cut: `at` in the stored text, the bytes from `start` to `end` of a blob belong there, as a string or as JSON itself. */
export interface Cut {
  readonly at: number;
  readonly blobId: number;
  readonly start: number;
  readonly end: number;
  readonly as: "string" | "json";
}

export type Place = Pick<Cut, "blobId" | "start" | "end">;
