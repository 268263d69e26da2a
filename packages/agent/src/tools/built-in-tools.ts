// Lists the tools of our agent.
import { bashTool } from "./bash/bash.ts";
import { bashKillTool } from "./bash/bash-kill.ts";
import { bashOutputTool } from "./bash/bash-output.ts";
import { editTool } from "./edit/edit.ts";
import { fetchTool } from "./fetch/fetch.ts";
import { listDirectoryTool } from "./list-directory.ts";
import { applyPatchTool } from "./patch/apply-patch.ts";
import { readTool } from "./read.ts";
import { findPathTool } from "./search/find-path.ts";
import { grepTool } from "./search/grep.ts";
import { type SkillText, skillTool } from "./skill.ts";
import { taskTool } from "./task.ts";
import { thinkingTool } from "./thinking.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { Tool } from "./tool.ts";
import type { WebSearchEndpoint } from "./web-search/search-service.ts";
import { webSearchTool } from "./web-search/web-search.ts";
import { writeTool } from "./write.ts";

interface BuiltInToolsOptions {
  /** Hosts (`host` or `host:port`, `*` for all) that `fetch` may reach at private addresses. */
  readonly privateHosts?: readonly string[];
  /** Without it there is no `web_search`. */
  readonly webSearch?: WebSearchEndpoint;
  /** Without any there is no `skill`. */
  readonly skills?: readonly SkillText[];
}

export function builtInTools({ privateHosts = [], webSearch, skills = [] }: BuiltInToolsOptions = {}): readonly Tool[] {
  return [
    bashTool,
    bashOutputTool,
    bashKillTool,
    readTool,
    writeTool,
    editTool,
    applyPatchTool,
    listDirectoryTool,
    grepTool,
    findPathTool,
    fetchTool({ privateHosts }),
    ...(webSearch === undefined ? [] : [webSearchTool(webSearch)]),
    thinkingTool,
    todoWriteTool,
    taskTool,
    ...(skills.length === 0 ? [] : [skillTool(skills)]),
  ];
}
