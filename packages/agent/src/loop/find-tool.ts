// Finds the tool that a model means. Models write the names of tools in another case, with a prefix of their training, or as other agents call them.
import type { Tool } from "../tools/tool.ts";

export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  const exact = tools.find((tool) => tool.name === name);
  if (exact !== undefined) return exact;
  const short = name.replace(/^(?:functions|default_api)[.:]/, "");
  const [alike, another] = tools.filter((tool) => tool.name.toLowerCase() === short.toLowerCase());
  if (alike !== undefined) return another === undefined ? alike : undefined;
  const ours = oursByOtherName.get(short.toLowerCase().replaceAll(/[_-]/g, ""));
  return ours === undefined ? undefined : tools.find((tool) => tool.name === ours);
}

/** How other agents call what our tools do, without `_` and `-`. Their parameters are taken too: see `otherNames` of each tool. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  bash: [
    "shell",
    "terminal",
    "runcommand",
    "runshellcommand",
    "runterminalcmd",
    "executecommand",
    "exec",
    "localshell",
  ],
  bash_output: ["bashoutput", "taskoutput"],
  bash_kill: ["killbash", "killshell"],
  read: ["readfile", "view", "viewfile", "openfile"],
  write: ["writefile", "createfile", "savefile"],
  edit: ["editfile", "strreplace", "multiedit", "replace", "searchreplace", "replaceinfile"],
  apply_patch: ["applypatch", "patch", "applydiff"],
  list_directory: ["ls", "listdir", "listfiles", "listdirectory"],
  grep: ["grepsearch", "searchfilecontent", "rg", "ripgrep", "searchtext"],
  find_path: ["glob", "find", "filesearch", "searchfiles", "globsearch"],
  fetch: ["webfetch", "fetchurl", "readurl"],
  web_search: ["websearch", "googlewebsearch"],
  todo_write: ["todowrite", "writetodos"],
  task: ["agent", "subagent", "spawnagent"],
};

const oursByOtherName = new Map(
  Object.entries(otherNames).flatMap(([ours, names]) => names.map((name) => [name, ours] as const)),
);
