// The keys of `sandbox`. A project can close the network, shorten the list of hosts, and choose a stricter mode.
import { z } from "zod";
import { combinedKey, explained, key, section } from "./config-key.ts";
import { type Ignore, never, onlyTrue, stricter } from "./project-policy.ts";

const formSection = "Sandbox and network";

/** The network that commands have. */
interface ConfiguredNetwork {
  /** False also for a list of hosts. */
  readonly isOpen: boolean;
  /** The hosts of the list; undefined if there is no list. */
  readonly allow: readonly string[] | undefined;
}

/** A credential of config.json with all defaults filled in. It says where the value is, never the value itself. */
export interface CredentialReference {
  readonly name: string;
  readonly host: string;
  readonly header: string;
  readonly prefix: string;
  readonly env?: string | undefined;
  readonly key?: { readonly agent: string; readonly variable: string } | undefined;
}

const network = z.union([
  z.boolean(),
  z.strictObject({
    allow: explained(
      z.array(z.string().min(1)),
      "The hosts that commands, and agents in the sandbox, may reach: `example.com`, `*.example.com`, `example.com:8443`, `127.0.0.1:11434`, `10.0.0.0/8`.",
    ),
  }),
]);

type Network = z.infer<typeof network>;

const credential = z
  .strictObject({
    host: explained(z.string().min(1), "The exact name of the host, with its port if that is not 443. Required."),
    header: explained(
      z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]*$/, "expected the name of a header")
        .optional(),
      "The header that is set.",
      { unset: "`authorization`" },
    ),
    prefix: explained(z.string().max(100).optional(), "The text before the value.", {
      unset: '`"Bearer "` for `authorization`, otherwise nothing',
    }),
    env: explained(
      z.string().min(1).optional(),
      "The variable of Signalbox's own environment that has the value. Commands do not get it.",
    ),
    key: explained(
      z
        .strictObject({
          agent: explained(z.string().min(1), "The agent that the key is kept for."),
          variable: explained(z.string().min(1), "The name of the key."),
        })
        .optional(),
      "Instead of `env`: a key that you gave to Signalbox on the page.",
    ),
  })
  .refine(({ env, key: kept }) => (env === undefined) !== (kept === undefined), "expected either env or key");

const credentials = z.record(z.string().regex(/^[\w.-]+$/, "expected letters, digits, dots and dashes"), credential);

export const sandboxKeys = section(
  { help: "What commands may touch.", see: "[sandbox](sandbox.md)" },
  {
    mode: key(z.enum(["sandbox", "rx", "rwx", "off"]), {
      default: "sandbox",
      project: stricter(["rx", "sandbox", "rwx", "off"]),
      help: "From strict to loose: `rx` (the workspace is read-only), `sandbox`, `rwx` (write anywhere but protected paths), `off` (no enforcement at all).",
      form: {
        section: formSection,
        label: "File access of commands",
        choices: {
          sandbox: "Write in the thread's folder (default)",
          rx: "Write nothing",
          rwx: "Write anywhere but protected paths",
          off: "No sandbox",
        },
      },
    }),
    network: combinedKey(network, {
      project: "tighten: `false`, or a shorter list",
      help: 'Whether commands may use the network: `true`, `false`, or a list of hosts: `{ "allow": [ … ] }`.',
      see: "[allowed hosts](sandbox.md#the-network-by-name)",
      unset: "`false`",
      form: { section: formSection, label: "Network access of commands" },
      combine: (user = false, project, ignore): ConfiguredNetwork => {
        const merged = closeNetwork(user, project, ignore);
        return { isOpen: merged === true, allow: typeof merged === "boolean" ? undefined : merged.allow };
      },
    }),
    ask_commands: key(z.boolean(), {
      default: false,
      project: onlyTrue("it would let commands run unasked"),
      help: "Whether Signalbox's own agent also asks about commands that run in the sandbox without the network.",
      see: "[permissions](permissions.md#commands-in-the-sandbox)",
    }),
    credentials: combinedKey(credentials, {
      project: "–",
      help: "Keys that Signalbox adds to requests for a host, so that no command sees them. By name.",
      see: "[credentials](sandbox.md#keys-outside)",
      unset: "none",
      form: { section: formSection, label: "Credentials that Signalbox adds to requests; commands never see them" },
      combine: (user = {}, project, ignore) => {
        if (project !== undefined) ignore("it decides where your keys go");
        return listCredentials(user);
      },
    }),
    writable: key(z.array(z.string()), {
      default: [],
      project: never("it would open folders"),
      help: "Further folders that commands may write.",
      form: { section: formSection, label: "Further writable folders", placeholder: "/home/you/cache" },
    }),
    readable: key(z.array(z.string()), {
      default: [],
      project: never("it would show your home folder"),
      help: "Folders and files of your home folder that commands, and agents in the sandbox, may read. Of the rest only toolchains show.",
      see: "[the home folder](sandbox.md#the-home-folder)",
      form: { section: formSection, label: "Readable parts of your home folder", placeholder: "/home/you/.kube" },
    }),
    terminal: key(z.enum(["auto", "own", "client"]), {
      default: "auto",
      project: never("it would move commands out of the sandbox"),
      help: "Where Signalbox's own agent runs commands: `own` (in its own sandbox), `client` (in the client's terminals), `auto` (in the client's terminals if they have the same sandbox, otherwise in its own).",
    }),
  },
);

function closeNetwork(user: Network, project: Network | undefined, ignore: Ignore): Network {
  if (project === undefined || project === false) return project ?? user;
  if (user === true) return project;
  if (user === false) {
    ignore("it would open the network");
    return user;
  }
  const wanted = project === true ? ["everything"] : project.allow;
  const more = wanted.filter((host) => !user.allow.includes(host));
  if (more.length > 0) ignore(`it would open ${more.join(", ")}`);
  return project === true ? user : { allow: user.allow.filter((host) => wanted.includes(host)) };
}

function listCredentials(written: z.infer<typeof credentials>): readonly CredentialReference[] {
  return Object.entries(written).map(([name, { header: given = "authorization", prefix, ...rest }]) => {
    const header = given.toLowerCase();
    return { name, ...rest, header, prefix: prefix ?? (header === "authorization" ? "Bearer " : "") };
  });
}
