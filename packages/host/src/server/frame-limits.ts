// Limits what one frame of a screen or of an ACP client may hold: reading it takes time, and everything else waits meanwhile.
import { findProblem } from "@signalbox/tinyvex";

/** A frame of this size is read in little time, whatever is in it. */
const shortBytes = 256 * 1024;
/** A request that names 10,000 files and the places in them has less. */
const most = { values: 200_000, length: 16 * 1024 * 1024 };

/** Why a frame is not read; undefined for one that is, also one that is long only because of a text in it: a prompt with pictures. */
export function describeFrameProblem(data: Buffer): string | undefined {
  const problem = data.length <= shortBytes ? undefined : findProblem(data, most);
  return problem === undefined ? undefined : `This frame was not read: ${problem}.`;
}
