// Classifies a text of the user. Claude Code stores commands, their output and interruptions as if the user had typed them.

type UserText =
  | { readonly type: "prompt"; readonly text: string }
  /** The output of a command that the user ran. */
  | { readonly type: "output"; readonly text: string }
  | { readonly type: "interruption" }
  | { readonly type: "nothing" };

export function readUserText(text: string): UserText {
  const command = findTaggedText(text, "command-name");
  if (command !== null) {
    const words = [command, findTaggedText(text, "command-args") ?? ""].map((part) => part.trim());
    return { type: "prompt", text: words.filter((part) => part !== "").join(" ") };
  }
  const shell = findTaggedText(text, "bash-input");
  if (shell !== null) return { type: "prompt", text: `! ${shell}` };
  const outputs = ["local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr"]
    .map((tag) => findTaggedText(text, tag))
    .filter((output) => output !== null);
  if (outputs.length > 0) {
    const output = outputs.join("\n").trim();
    return output === "" ? { type: "nothing" } : { type: "output", text: output };
  }
  if (text.startsWith("[Request interrupted by user")) return { type: "interruption" };
  return text.trim() === "" ? { type: "nothing" } : { type: "prompt", text };
}

/** Returns the text inside the tag. Null if the whole text does not begin with a tag. */
function findTaggedText(text: string, tag: string): string | null {
  if (!text.trimStart().startsWith("<")) return null;
  const start = text.indexOf(`<${tag}>`);
  const end = text.indexOf(`</${tag}>`, start);
  return start < 0 || end < 0 ? null : text.slice(start + tag.length + 2, end);
}
