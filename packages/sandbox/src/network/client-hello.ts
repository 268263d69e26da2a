// Reads the server's name from the first bytes of a TLS connection, before anything of it goes out.

type FirstBytes =
  /** Not enough has come to say. */
  | { readonly type: "incomplete" }
  | { readonly type: "not_tls" }
  /** TLS; the name is undefined where the client names none. */
  | { readonly type: "tls"; readonly serverName: string | undefined }
  /** TLS, but in a form in which the name cannot be read. */
  | { readonly type: "unreadable" };

const handshakeRecord = 0x16;
const clientHello = 0x01;
const serverNameExtension = 0;
const recordHead = 5;

export function readFirstBytes(bytes: Buffer): FirstBytes {
  if (bytes.length === 0) return { type: "incomplete" };
  if (bytes[0] !== handshakeRecord) return { type: "not_tls" };
  if (bytes.length < recordHead) return { type: "incomplete" };
  const length = bytes.readUInt16BE(3);
  if (bytes.length < recordHead + length) return { type: "incomplete" };
  try {
    return readHello(bytes.subarray(recordHead, recordHead + length));
  } catch {
    return { type: "unreadable" }; // a length that leads out of the record
  }
}

function readHello(record: Buffer): FirstBytes {
  const length = record.readUIntBE(1, 3);
  // A hello in several records could carry its name in a later one.
  if (record[0] !== clientHello || length + 4 > record.length) return { type: "unreadable" };
  let at = 4 + 2 + 32; // version, random
  at += 1 + record.readUInt8(at); // session id
  at += 2 + record.readUInt16BE(at); // cipher suites
  at += 1 + record.readUInt8(at); // compression
  if (at >= length + 4) return { type: "tls", serverName: undefined };
  const end = at + 2 + record.readUInt16BE(at);
  at += 2;
  while (at + 4 <= end) {
    const [type, size] = [record.readUInt16BE(at), record.readUInt16BE(at + 2)];
    if (type === serverNameExtension)
      return { type: "tls", serverName: readName(record.subarray(at + 4, at + 4 + size)) };
    at += 4 + size;
  }
  return { type: "tls", serverName: undefined };
}

/** The list has one entry in practice: kind, length, name. */
function readName(extension: Buffer): string {
  const length = extension.readUInt16BE(3);
  if (extension.length < 5 + length) throw new RangeError("the name is longer than its extension");
  return extension.toString("latin1", 5, 5 + length).toLowerCase();
}
