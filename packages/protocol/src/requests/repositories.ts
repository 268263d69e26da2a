// Requests about files: changes of threads on disk, git, the editor, and choosing a file or a folder.
import { z } from "zod";
import type {
  AsideRow,
  ChangeDiffRow,
  ChangeRow,
  FileRow,
  FolderRow,
  GitResult,
  GitStateRow,
  RestoreResult,
} from "../rows.ts";
import { type ActionDefinition, type QueryDefinition, result } from "./define.ts";
import { ofThread, path, paths, seq, text, threadId, turnId } from "./fields.ts";

const asideId = z.string().max(100);

export const repositoryRequests = {
  "changes.restore": {
    about:
      "Puts files back to how they were when a turn's prompt was sent, or undoes a restore; `conflict` while a turn runs.",
    params: z.object({
      thread_id: threadId,
      to_turn_id: turnId,
      paths: paths.optional().describe("only these files"),
      hunks: z
        .array(z.object({ path, old_start: seq, old_lines: seq, new_start: seq, new_lines: seq }))
        .min(1)
        .max(10_000)
        .optional()
        .describe("only these hunks of the difference between then and now, as `changes.diff` gave them"),
      dry_run: z.boolean().optional().describe("report what would happen, and change nothing"),
    }),
    result: result<RestoreResult>("turn_id", "restored", "files", "conflicts"),
  },
  "aside.keep": {
    about:
      "Puts settings that were put aside back where a command made them; `conflict` if they are not what was shown.",
    params: z.object({ thread_id: threadId, aside_id: asideId, digest: z.string().describe("as `aside.list` has it") }),
    result: result<{ readonly path: string }>("path"),
  },
  "aside.drop": {
    about: "Removes settings that were put aside.",
    params: z.object({ thread_id: threadId, aside_id: asideId }),
    result: result<void>(),
  },
  "git.commit": {
    about: "Commits files of the thread's repository; `conflict` with `details` if nothing was committed.",
    params: z.object({
      thread_id: threadId,
      message: z.string().trim().min(1).max(20_000),
      paths: paths.describe("as `git.state` has them"),
    }),
    result: result<GitResult>("commit", "output"),
  },
  "git.merge": {
    about: "Merges the branch of the thread's worktree into the branch that it was made from.",
    params: ofThread,
    result: result<GitResult>("commit", "output"),
  },
  "editor.open": {
    about: "Opens a file of the thread's folder in the user's editor, on the host's machine.",
    params: z.object({ thread_id: threadId, path, line: z.int().positive().optional() }),
    result: result<void>(),
  },
} as const satisfies Record<string, ActionDefinition>;

export const repositoryQueries = {
  "changes.list": {
    about: "The files that a turn changed on disk, or without a turn the thread.",
    params: z.object({ thread_id: z.string(), turn_id: text }),
    row: result<ChangeRow>("path", "status", "old_path", "added", "removed", "binary", "source"),
    onlyThere: "Its changes on disk can be seen",
  },
  "changes.diff": {
    about: "The difference of one file; no row if it did not change.",
    params: z.object({ thread_id: z.string(), path: z.string(), turn_id: text }),
    row: result<ChangeDiffRow>("path", "hunks", "old_size", "new_size"),
    onlyThere: "Its changes on disk can be seen",
  },
  "aside.list": {
    about:
      "Settings that commands made in the thread's folders and that were put aside, because programs outside would obey them.",
    params: ofThread,
    row: result<AsideRow>("aside_id", "path", "rule", "made_at", "digest", "files"),
    onlyThere: "Its settings that were put aside can be seen",
  },
  "git.state": {
    about: "The state of the repository in a thread's folder, or in any folder; no row if there is none.",
    params: z.object({ thread_id: text, cwd: text }),
    row: result<GitStateRow>(),
  },
  "files.find": {
    about: "Files of a thread's folder, or of any folder, whose path contains the query.",
    params: z.object({ thread_id: text, cwd: text, query: z.string() }),
    row: result<FileRow>("path", "name"),
    onlyThere: "Its files can be chosen",
  },
  "files.check": {
    about: "Which of these paths are files of a thread's folder.",
    params: z.object({ thread_id: z.string(), paths: z.array(z.string().min(1).max(1000)).max(100) }),
    row: result<FileRow>("path", "name"),
    onlyThere: "Its files can be seen",
  },
  "folders.complete": {
    about: "Folders whose path begins with this text.",
    params: z.object({ prefix: z.string() }),
    row: result<FolderRow>("path"),
  },
} as const satisfies Record<string, QueryDefinition>;
