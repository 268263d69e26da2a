// Decodes a part of a UTF-8 text whose ends may lie inside a character.

interface WholeCharacters {
  readonly text: string;
  /** Bytes of characters that are not whole, at the beginning and at the end. */
  readonly before: number;
  readonly after: number;
}

/** Leaves out what is not whole, at the ends where the text goes on: at most three bytes each. */
export function wholeCharacters(bytes: Uint8Array, ends: { begins: boolean; ends: boolean }): WholeCharacters {
  let before = 0;
  if (!ends.begins) while (before < Math.min(3, bytes.length) && isContinuation(bytes[before])) before++;
  let after = 0;
  if (!ends.ends) {
    let last = bytes.length - 1;
    while (last >= before && bytes.length - last < 4 && isContinuation(bytes[last])) last--;
    if (last >= before && countSequenceBytes(bytes[last]) > bytes.length - last) after = bytes.length - last;
  }
  return { text: new TextDecoder().decode(bytes.subarray(before, bytes.length - after)), before, after };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How many bytes the character has that begins with this one. */
function countSequenceBytes(byte: number | undefined): number {
  if (byte === undefined || byte < 0xc0 || byte >= 0xf8) return 1;
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
}
