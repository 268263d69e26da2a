// Where "big" begins, and in which pieces big things lie on the disk.

/** Anything over this many bytes lives in a blob; the row keeps a preview. */
export const BLOB_THRESHOLD = 64 * 1024;

/** The beginning of a big text that its row shows, in bytes. */
export const PREVIEW_BYTES = 16 * 1024;

/** The end of a big text that still grows, in bytes: what a screen shows of it at once. */
export const TAIL_BYTES = 64 * 1024;

/** A blob's bytes lie in pieces of at most this size, so that a range costs what it is long, not what the blob is. */
export const CHUNK_BYTES = 256 * 1024;

/** Small additions join the last piece until it has this size: rewriting it costs no more than a new row. */
export const JOIN_BYTES = 8 * 1024;
