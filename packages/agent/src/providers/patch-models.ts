// Says which models are trained to change files by patches: OpenAI's since GPT-4.1. No list of models says it.

export function writesPatches(model: string): boolean {
  // A routed name such as `openai/gpt-5.5` is known by its last part.
  const name = (model.split("/").at(-1) ?? model).toLowerCase();
  return /^(?:gpt-4\.1|gpt-[5-9]|o[3-9]|codex)/.test(name);
}
