// Tells from a provider's refusal that it does not take the thinking that it was asked for. Thinking is on by itself where the model can; a gateway or a
// server of one's own may be older than the model, or give another one that name.

/** Anthropic: output_config, thinking. OpenAI: reasoning_effort, reasoning.effort. Ollama: "x" does not support thinking. */
const field = /\b(?:output_config|thinking|reasoning|reasoning_?effort|thinking_?(?:config|budget|level))\b/i;
const refusal =
  /not (?:permitted|allowed|recogni[sz]ed|valid|available)|(?:not|n't) support|unsupported|un(?:known|expected|recogni[sz]ed)|invalid/i;

/** A thought in the conversation that does not fit, such as one of another model. */
const ofConversation = /\bsignature\b|\bmessages\.\d/i;

export function refusesThinking(message: string): boolean {
  return field.test(message) && refusal.test(message) && !ofConversation.test(message);
}
