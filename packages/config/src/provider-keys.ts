// The keys of `providers.<name>`. A project chooses models. It does not choose where the user's key and prompts go.
import { z } from "zod";
import { explained, key, section } from "./config-key.ts";
import { thinkingLevels } from "./models/model-facts.ts";
import { choose, never } from "./project-policy.ts";

const keyPlace = "it decides where your key goes";

const price = z.number().min(0);

const model = z
  .strictObject({
    context_window: explained(z.int().positive(), "Tokens that fit into one request."),
    max_output_tokens: explained(z.int().positive(), "Tokens of the longest answer, including thoughts."),
    thinking: explained(
      z.array(z.enum(thinkingLevels)),
      `The thinking levels that it accepts, from little to much: ${thinkingLevels.map((level) => `\`${level}\``).join(", ")}. An empty list means that it does not think.`,
    ),
    images: explained(z.boolean(), "Whether it sees images."),
    price: explained(
      z.strictObject({
        input: explained(price, "Of input. Required."),
        output: explained(price, "Of output. Required."),
        cache_read: explained(price.optional(), "Of input that was in the provider's cache.", { unset: "`input`" }),
        cache_write: explained(price.optional(), "Of input that is written to the provider's cache.", {
          unset: "`input`",
        }),
      }),
      "US dollars per million tokens.",
    ),
  })
  .partial();

export const providerKeys = section(
  { help: "How to reach one provider.", see: "[agent](agent.md#providers)" },
  {
    api_key_env: key(z.string().min(1), {
      project: never(keyPlace),
      help: "The environment variable that holds the key.",
      unset: "the vendor's own",
    }),
    base_url: key(z.url(), {
      project: never(keyPlace),
      help: "The full prefix of the API.",
      unset: "the vendor's own",
    }),
    api: key(z.enum(["chat", "responses"]), {
      project: choose(),
      help: "Which API of OpenAI a server at another address has: `chat` or `responses`.",
      unset: "detected with the first prompt",
    }),
    headers: key(z.record(z.string(), z.string()), {
      project: never(keyPlace),
      help: "Sent with every request.",
      unset: "none",
    }),
    model: key(z.string().min(1), {
      project: choose(),
      help: "The model.",
      unset: "the provider's usual one",
    }),
    model_fast: key(z.string().min(1), {
      project: choose(),
      help: "Answers simple prompts, and decides which are simple.",
      see: "[two models](agent.md#two-models)",
      unset: "`model`",
    }),
    model_complex: key(z.string().min(1), {
      project: choose(),
      help: "Does the work that needs a plan.",
      see: "[two models](agent.md#two-models)",
      unset: "`model`",
    }),
    max_output_tokens: key(z.int().positive(), {
      project: choose(),
      help: "Tokens of one answer.",
      unset: "as many as the model can give; 16,384 if that is not known",
    }),
    context_window: key(z.int().positive(), {
      project: choose(),
      help: "Tokens that fit into one request, for a model that is not in the catalogue.",
      unset: "128,000",
    }),
    models: key(z.record(z.string().min(1), model), {
      // A lower price would let a session spend more than its budget.
      project: never("it would change what your budget counts"),
      help: "Facts about models, by name. They override the catalogue, key by key.",
      see: "[models](agent.md#models)",
      unset: "the catalogue's",
    }),
  },
);
