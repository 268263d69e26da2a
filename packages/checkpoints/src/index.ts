// Checkpoints of the folders that agents work in, and git for people who look at them. Listing changes and putting files back have entries
// of their own, because a host loads them only when somebody asks.
export { CheckpointPool } from "./changes/checkpoint-pool.ts";
export { GitError } from "./changes/git-process.ts";
export { keepInterruptedTurn } from "./changes/keep-interrupted-turn.ts";
export { makeRefFolder } from "./changes/refs.ts";
export { TurnCheckpoints } from "./changes/turn-checkpoints.ts";
export { commitFiles } from "./git/commit.ts";
export { mergeWorktree } from "./git/merge.ts";
export { recordGitState } from "./git/record-git.ts";
export { GitStates } from "./git/work-tree-state.ts";
export { Worktrees } from "./git/worktrees.ts";
