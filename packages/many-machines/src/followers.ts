// Declares who follows threads on this machine's screens, and where changes go.
import type { Change, ProgressMessage } from "@signalbox/protocol";

export interface Followers {
  readonly hasListFollowers: boolean;
  isFollowed(threadId: string): boolean;
  publish(changes: readonly Change[]): void;
  /** A thread's rows were replaced. */
  startOver(threadId: string): void;
  sendProgress(message: ProgressMessage): void;
}
