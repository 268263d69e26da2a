// Defines what `signalbox proxy` sends to the host: one frame for each line that it passed on. The first byte says what the rest is.

const kinds = { client: 0x63, agent: 0x61, lost: 0x6c, exit: 0x78 } as const;

/** `client` and `agent`: a line of that side, as it was. `lost`: how many lines were not sent. `exit`: how the agent ended. */
export type ProxyFrameKind = keyof typeof kinds;

interface ProxyFrame {
  readonly kind: ProxyFrameKind;
  readonly body: Buffer;
}

export function encodeProxyFrame(kind: ProxyFrameKind, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(kinds[kind]), body]);
}

/** Undefined for what is no such frame. The body shares the frame's memory. */
export function decodeProxyFrame(frame: Buffer): ProxyFrame | undefined {
  const kind = (Object.keys(kinds) as ProxyFrameKind[]).find((name) => kinds[name] === frame[0]);
  return kind === undefined ? undefined : { kind, body: frame.subarray(1) };
}
