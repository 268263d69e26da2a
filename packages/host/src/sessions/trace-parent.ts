// Gives the W3C trace context of a turn. Its ids depend on the turn alone, so that spans of an agent and an export of the thread meet.
import { createHash } from "node:crypto";

export function makeTraceParent(turnId: string): string {
  const hash = createHash("sha256").update(turnId).digest("hex");
  return `00-${hash.slice(0, 32)}-${hash.slice(32, 48)}-01`;
}
