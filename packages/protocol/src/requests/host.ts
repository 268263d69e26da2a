// Requests about the host itself: its settings, its data, paired devices, and other machines.
import { z } from "zod";
import type { ImportRow, MachineRow, ProjectRow, Redaction, SizesRow } from "../rows.ts";
import type { ConfigRow, DeviceRow, PairingRow, SetupRow } from "../setup-rows.ts";
import { type ActionDefinition, type QueryDefinition, result } from "./define.ts";
import { nothing, openJson, threadId } from "./fields.ts";

const deviceId = z.string().min(1).max(200);
const configKey = z.union([z.string().min(1).max(500), z.number().int().nonnegative()]);

export const hostRequests = {
  "config.edit": {
    about: "Changes keys of the user's config.json, all or none; `conflict` if the file is invalid or would be.",
    params: z.object({
      changes: z
        .array(
          z.strictObject({
            path: z.array(configKey).min(1).max(10),
            value: openJson.optional(),
          }),
        )
        .min(1)
        .max(100)
        .describe("without a value the key is removed"),
    }),
    result: result<void>(),
  },
  "devices.pair": {
    about: "Makes a code that pairs one device.",
    params: z.object({
      address: z.string().trim().min(1).max(500).optional().describe("an address under which devices reach this host"),
    }),
    result: result<PairingRow>("code", "expires_at", "addresses", "fingerprint"),
    device: "never",
  },
  "devices.remove": {
    about: "Removes a paired device and ends its connections.",
    params: z.object({ device_id: deviceId }),
    result: result<void>(),
    device: "itself",
  },
  "push.subscribe": {
    about: "Sends questions to a device as notifications, to the address of its browser's `PushSubscription`.",
    params: z.object({
      device_id: deviceId.optional().describe("a device need not name itself"),
      subscription: z.strictObject({
        endpoint: z.string().min(1).max(2000),
        p256dh: z.string().regex(/^[\w-]{80,100}$/),
        auth: z.string().regex(/^[\w-]{20,30}$/),
      }),
    }),
    result: result<void>(),
    device: "itself",
  },
  "push.unsubscribe": {
    about: "Ends the notifications of a device.",
    params: z.object({ device_id: deviceId.optional().describe("a device need not name itself") }),
    result: result<void>(),
    device: "itself",
  },
  "data.vacuum": { about: "Shrinks the register's file.", params: nothing, result: result<void>() },
  "data.redact": {
    about: "Removes secrets from a thread, or from all threads; `conflict` while a turn runs.",
    params: z.object({ thread_id: threadId.optional() }),
    result: result<Redaction>("redacted", "threads"),
  },
  "import.start": {
    about: "Imports the history of another tool; `host.progress` reports how far it is.",
    params: z.object({ source: z.enum(["claude", "codex"]) }),
    result: result<ImportRow>("imported", "continued", "unchanged", "skipped", "failed"),
  },
} as const satisfies Record<string, ActionDefinition>;

export const hostQueries = {
  "config.get": {
    about: "The user's config.json; values of `env` and `headers` are null, and `shared` is left out.",
    params: nothing,
    row: result<ConfigRow>("file", "problem", "config"),
  },
  "setup.get": {
    about: "What this machine has: keys, Ollama, the sandbox, folders, versions of lists, and where the host listens.",
    params: nothing,
    row: result<SetupRow>(),
  },
  "machines.list": {
    about: "The machines that share their threads, this one first; no row if nothing is shared.",
    params: nothing,
    row: result<MachineRow>("machine", "own", "online", "control", "problem"),
  },
  "projects.list": {
    about: "The folders in which threads work, on all machines.",
    params: nothing,
    row: result<ProjectRow>("id", "name", "path", "threads", "archived"),
  },
  "devices.list": {
    about: "The paired devices.",
    params: nothing,
    row: result<DeviceRow>("id", "name", "created_at", "last_seen_at", "has_push", "own"),
  },
  "push.get": {
    about: "The public key by which push services know this host.",
    params: nothing,
    row: result<{ readonly public_key: string }>("public_key"),
  },
  "sizes.list": {
    about: "The bytes of the register's file, and of each thread in it.",
    params: nothing,
    row: result<SizesRow>("file", "threads"),
  },
} as const satisfies Record<string, QueryDefinition>;
