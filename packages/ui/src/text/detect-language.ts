// Finds the language of a file by its name.
const byEnding: Readonly<Record<string, string>> = {
  bash: "bash",
  c: "c",
  cc: "cpp",
  cjs: "javascript",
  cpp: "cpp",
  cs: "csharp",
  css: "css",
  cts: "typescript",
  cxx: "cpp",
  go: "go",
  h: "c",
  hpp: "cpp",
  htm: "html",
  html: "html",
  java: "java",
  js: "javascript",
  json: "json",
  jsonc: "json",
  jsx: "jsx",
  kt: "kotlin",
  kts: "kotlin",
  lua: "lua",
  md: "markdown",
  mjs: "javascript",
  mk: "make",
  mts: "typescript",
  php: "php",
  py: "python",
  rb: "ruby",
  rs: "rust",
  scss: "scss",
  sh: "bash",
  sql: "sql",
  svg: "xml",
  swift: "swift",
  toml: "toml",
  ts: "typescript",
  tsx: "tsx",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
  zsh: "bash",
};

const byName: Readonly<Record<string, string>> = { dockerfile: "docker", makefile: "make", gemfile: "ruby" };

/** Null when it is unknown. */
export function detectLanguage(path: string): string | null {
  const name = path.split(/[\\/]/).at(-1)?.toLowerCase() ?? "";
  const ending = name.includes(".") ? (name.split(".").at(-1) ?? "") : "";
  return (
    (Object.hasOwn(byName, name) ? byName[name] : Object.hasOwn(byEnding, ending) ? byEnding[ending] : null) ?? null
  );
}
