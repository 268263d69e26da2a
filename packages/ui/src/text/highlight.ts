// Splits code into coloured tokens with shiki and its JavaScript engine (no WebAssembly). Grammars load when first needed. The colours are
// CSS variables of the page, so light and dark need no second pass.
import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore, type LanguageInput } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

export interface CodeToken {
  readonly content: string;
  readonly color?: string;
}

const grammars: Readonly<Record<string, () => LanguageInput>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  scss: () => import("shiki/langs/scss.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const otherNames: Readonly<Record<string, string>> = {
  ts: "typescript",
  js: "javascript",
  mjs: "javascript",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  yml: "yaml",
  md: "markdown",
  "c++": "cpp",
  cs: "csharp",
  golang: "go",
  kt: "kotlin",
  dockerfile: "docker",
  makefile: "make",
  jsonc: "json",
  svg: "xml",
};

let highlighter: Promise<HighlighterCore> | null = null;

/** Null for an unknown language. */
export async function highlight(code: string, language: string): Promise<readonly (readonly CodeToken[])[] | null> {
  const asked = language.toLowerCase();
  const name = otherNames[asked] ?? asked;
  const grammar = grammars[name];
  if (grammar === undefined) return null;
  highlighter ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: "signalbox", variablePrefix: "--code-" })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const core = await highlighter;
  if (!core.getLoadedLanguages().includes(name)) await core.loadLanguage(grammar());
  const { tokens } = core.codeToTokens(code, { lang: name, theme: "signalbox" });
  return tokens;
}
