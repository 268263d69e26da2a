// Declares what is needed to reach one model of one provider.
import type { ModelFacts } from "@signalbox/config/models";
import type { Fetch } from "./provider-fetch.ts";

export interface ProviderSettings {
  /** One of ours, or the user's own name for an OpenAI-compatible endpoint. */
  readonly provider: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  /** The variable that should hold the key, for messages; undefined where none is needed. */
  readonly keyVariable: string | undefined;
  readonly keyRequired: boolean;
  /** The full prefix of the API. Undefined for a name that is none of ours, when no address is configured. */
  readonly baseUrl: string | undefined;
  /** The API of OpenAI that is used; undefined to find out. */
  readonly api: "chat" | "responses" | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** From the config; undefined to use what is known of the model. */
  readonly contextWindow: number | undefined;
  /** Returns the catalogue's facts about a model of this provider. */
  readonly facts: (model: string) => ModelFacts;
  /** How long an answer may pause. */
  readonly stallMs: number;
  /** The environment, for providers whose credentials are more than a key. */
  readonly env: NodeJS.ProcessEnv;
  /** Sends the requests in place of the usual fetch, where each must be changed on its way. */
  readonly fetch?: Fetch;
}
