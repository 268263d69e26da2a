// Options that hold for all sessions of an agent process.

export interface AgentOptions {
  readonly version: string;
  /** One of ours; without it config decides, and without that it is the demo. */
  readonly provider?: string;
  readonly model?: string;
  /** The full prefix of the provider's API. */
  readonly baseUrl?: string;
  readonly mode?: "sandbox" | "rx" | "rwx" | "plan";
  /** In place of the user's config.json. */
  readonly configFile?: string;
}
