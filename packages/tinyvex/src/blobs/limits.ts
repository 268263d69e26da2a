// Defines the size from which on a text goes to a blob, and the size of the pieces of a blob.

/** Anything over this many bytes lives in a blob; the row keeps a preview. */
export const blobThreshold = 64 * 1024;

/** The beginning of a big text that its row shows, in bytes. */
export const previewBytes = 16 * 1024;

/** The end of a big text that still grows, in bytes: what a screen shows of it. */
export const tailBytes = 64 * 1024;

/** A blob's bytes lie in pieces of at most this size, so that a range costs what it is long, not what the blob is. */
export const chunkBytes = 256 * 1024;

/** Small additions join the last piece until it has this size: rewriting it costs no more than a new row. */
export const joinBytes = 8 * 1024;
