// Decides whether the fast or the complex model answers a prompt. The fast model is asked, without any tools; doubt and failure mean complex.
import type { Model, ModelRequest, ModelUsage } from "../providers/model.ts";

type Route =
  /** The fast model answers. */
  | { readonly type: "direct" }
  /** The complex model works, by this plan, which may be empty. */
  | { readonly type: "planned"; readonly steps: readonly string[] };

interface RouteQuestion {
  readonly prompt: string;
  /** The last answer of the agent: "yes, do that" means nothing alone. */
  readonly before: string;
}

const timeoutMs = 10_000;
const maxTextLength = 4000;
const maxSteps = 12;

const instructions = `You sort messages to a coding agent. Answer with one line of JSON and nothing else.
{"route":"direct"} when the message can be answered immediately, from general knowledge or from what was said before, without looking at files, running anything or changing anything.
{"route":"planned","steps":["…","…"]} for everything else: two to seven short steps of the work to do.
When in doubt: planned.`;

export async function chooseRoute(
  question: RouteQuestion,
  fast: Model,
  signal: AbortSignal,
): Promise<{ route: Route; usage: ModelUsage | null }> {
  let text = "";
  let usage: ModelUsage | null = null;
  try {
    for await (const event of fast.stream(
      buildRequest(question),
      AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    )) {
      if (event.type === "text") text += event.text;
      else if (event.type === "retry" || event.type === "restart") text = "";
      else if (event.type === "finish") usage = event.usage;
    }
  } catch {
    signal.throwIfAborted();
    return { route: complex, usage };
  }
  return { route: parseRoute(text), usage };
}

const complex: Route = { type: "planned", steps: [] };

function buildRequest({ prompt, before }: RouteQuestion): ModelRequest {
  const context = before === "" ? "" : `The agent said last:\n${before.slice(-maxTextLength)}\n\n`;
  const text = `${context}The message:\n${prompt.slice(0, maxTextLength)}`;
  return {
    system: instructions,
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [],
    maxOutputTokens: 500,
    thinking: "off",
  };
}

/** Everything but a clear "direct" is planned. */
function parseRoute(text: string): Route {
  try {
    const answer: unknown = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    const { route, steps } = (answer ?? {}) as { route?: unknown; steps?: unknown };
    if (route === "direct") return { type: "direct" };
    if (!Array.isArray(steps)) return complex;
    const known = steps.flatMap((step) =>
      typeof step === "string" && step.trim() !== "" ? [step.trim().slice(0, 200)] : [],
    );
    return { type: "planned", steps: known.slice(0, maxSteps) };
  } catch {
    return complex;
  }
}
