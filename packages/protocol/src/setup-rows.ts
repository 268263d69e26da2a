// Rows about this machine and its agents: what is installed, which keys are there, the configuration. Aliases, as in rows.ts.
import type { Open } from "./acp.ts";
import type { Json, JsonObject } from "./json.ts";

/** How ready an agent of the registry is to be used. */
export type AgentReadiness = Open<"ready" | "not_installed" | "needs_login" | "broken">;

export type AgentRow = {
  readonly id: string;
  readonly label: string;
  /** A script that shows what the page does, and no agent to work with. */
  readonly demo?: boolean;
  /** In a sentence, of an agent of the ACP registry. */
  readonly description?: string | null;
  readonly readiness: AgentReadiness;
  /** Why it is not ready and what to do; null when it is. */
  readonly reason: string | null;
  readonly version: string | null;
  /** The command that installs it; null where there is none. */
  readonly install?: string | null;
  /** How to log in, in a sentence; null where nothing is known. */
  readonly login?: string | null;
  /** The program's file; null when it is not installed. */
  readonly program?: string | null;
  /** `agents.install` installs it. */
  readonly can_install?: boolean;
  /** A warning to read before installing; null if there is none. */
  readonly install_warning?: string | null;
  /** The keys that it reads from its environment. */
  readonly keys?: readonly AgentKeyRow[];
  /** The agent's offers in its last test; null if it was never tested. */
  readonly offers?: AgentOffers | null;
  /** Why its threads run outside the sandbox unless a person chooses otherwise; null if they run inside. */
  readonly outside_because?: string | null;
  /** Who answers a new thread; null where only the agent knows. */
  readonly model?: AgentModelRow | null;
};

/** The model that answers where a thread names none. */
export type AgentModelRow = {
  /** As the vendor writes it. */
  readonly provider: string;
  /** Null where it depends on what the provider has. */
  readonly name: string | null;
  /** US dollars per million tokens; null where unknown. */
  readonly input_usd: number | null;
  readonly output_usd: number | null;
};

/** A key of an agent. Its value never leaves the host. */
export type AgentKeyRow = {
  readonly variable: string;
  /** Where it is; null where there is none. The environment wins. */
  readonly source: "environment" | "key_ring" | "file" | null;
  /** Of a key that Signalbox keeps; empty where it is too short to show any of it. */
  readonly last_four: string | null;
  /** How a key begins that belongs in the variable; null where nothing is known of it. */
  readonly key_prefix: string | null;
};

/** Settings of an agent that a client can choose. */
export type AgentOffers = {
  readonly modes: Json;
  readonly config_options: Json;
  readonly available_commands: Json;
};

/** The steps of an agent's test, and how it ended. */
export type AgentTestRow = {
  readonly agent_id: string;
  readonly readiness: AgentReadiness;
  readonly reason: string | null;
  /** The version that the agent reports. */
  readonly version: string | null;
  readonly auth_methods: readonly Json[];
  /** The agent's offers in the session; null if it opened none. */
  readonly offers: AgentOffers | null;
  /** It offers ACP's `logout`. */
  readonly can_log_out: boolean;
  readonly steps: readonly AgentTestStepRow[];
  /** The end of what it printed beside its messages. */
  readonly output: string;
};

export type AgentTestStepRow = {
  readonly step: Open<"find" | "start" | "initialize" | "session" | "stop">;
  readonly ok: boolean;
  readonly message: string;
  readonly ms: number;
};

export type ListeningRow = {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** SHA-256 of the certificate, in hexadecimal pairs, to compare with what a browser shows; null without one. */
  readonly fingerprint: string | null;
  /** Said wherever a person looks, when others on the network could read along; null when all is well. */
  readonly warning: string | null;
};

/** A phone or another browser that was paired with this host. */
export type DeviceRow = {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly last_seen_at: number | null;
  readonly has_push: boolean;
  /** It is the one that asks. */
  readonly own: boolean;
};

/** How to pair one device: open one of the addresses with `#pair=CODE` in it. */
export type PairingRow = {
  readonly code: string;
  readonly expires_at: number;
  /** Those that the user named, the latest first; then those under which this host listens for others, if it does. */
  readonly addresses: readonly string[];
  /** As in `ListeningRow`. */
  readonly fingerprint: string | null;
};

/** The state of this machine for the start page. It never contains a key, only whether there is one. */
export type SetupRow = {
  readonly version: string;
  readonly data_dir: string;
  /** The data folder and its config.json where other users of the machine may read them. */
  readonly exposed_paths: readonly string[];
  /** The folder in which Signalbox was started: a sensible first choice. */
  readonly start_folder: string;
  readonly home_folder: string;
  /** A folder of Signalbox's own, in which the demo works. */
  readonly demo_folder: string;
  /** Where a key that is given to Signalbox is kept, for a person. */
  readonly key_place: string;
  readonly config_file: string;
  /** The list of the ACP registry: its date, how many agents it has, and where a newer one is. */
  readonly registry: { readonly as_of: string; readonly listed: number; readonly url: string };
  /** The list of models that our own agent knows: its date, and where it is from; null: it came with Signalbox. */
  readonly models: { readonly as_of: string; readonly fetched_from: string | null };
  readonly providers: readonly ProviderKeyRow[];
  /** The provider that our own agent uses where config.json names none; null while none is set up. */
  readonly usual_provider: string | null;
  /** Where the host listens; null when none runs. */
  readonly listening: ListeningRow | null;
  /** The name of the command that opens files on this machine; null if none is known. */
  readonly editor: string | null;
  readonly ollama: { readonly running: boolean; readonly installed: boolean; readonly models: readonly string[] };
  readonly sandbox: {
    readonly enforced: boolean;
    /** Landlock, bubblewrap, Seatbelt … or why not. */
    readonly by: string;
    readonly reason: string | null;
    readonly mode: string;
    readonly network: boolean;
    /** The hosts of a network by name; null where it does not go by name. */
    readonly network_allow: readonly string[] | null;
  };
};

/** A provider that needs a key, and where the key is. */
export type ProviderKeyRow = {
  readonly name: string;
  readonly label: string;
  readonly key_present: boolean;
  /** Where the key is, or where it is looked for first. */
  readonly variable: string;
  readonly key_source: AgentKeyRow["source"];
  readonly last_four: string | null;
  readonly key_prefix: string | null;
};

/** The user's config.json. */
export type ConfigRow = {
  readonly file: string;
  /** Why the file as it is now cannot be used; what was read before it then still holds. */
  readonly problem: string | null;
  /** As written; values of environments and headers, and the shared database, are left out: `null` in their place. */
  readonly config: JsonObject;
  /** The keys that the settings page can change, in the order of the schema. */
  readonly keys: readonly ConfigKeyRow[];
};

/** A key of config.json as its schema declares it. */
export type ConfigKeyRow = {
  /** `limits.max_turns` */
  readonly key: string;
  /** `other`: the page has a form of its own for it. */
  readonly type: "number" | "choice" | "list" | "other";
  /** The section of the settings page. */
  readonly section: string;
  readonly label: string;
  readonly help: string;
  readonly unit: string;
  /** Shown in an empty field: the default, or an example. */
  readonly placeholder: string;
  readonly maximum: number | null;
  /** The first one is the default. */
  readonly choices: readonly { readonly value: string; readonly name: string }[];
};
