// What it takes to reach one model of one provider, after flags, config and environment have been heard.

export interface ProviderSettings {
  /** As the user calls it: one of ours, or a name of their own for an OpenAI-compatible endpoint. */
  readonly provider: string;
  readonly model: string;
  readonly apiKey: string | null;
  /** Where the key is expected, for messages; null where none is needed. */
  readonly keyVariable: string | null;
  readonly keyRequired: boolean;
  /** The full prefix of the API; null for the provider's own. */
  readonly baseUrl: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** What the user says of the model; null to go by what is known. */
  readonly contextWindow: number | null;
  /** How long an answer may pause. */
  readonly stallMs: number;
}
