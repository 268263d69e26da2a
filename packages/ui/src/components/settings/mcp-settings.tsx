// The MCP servers section: add, test, switch off and remove the servers of Signalbox's own agent. A test starts each and lists its tools, with a
// switch for each.

import { isJsonObject, type Json, type JsonObject, type McpServerRow, toFields } from "@signalbox/protocol";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { Switch } from "../shared/check-box.tsx";
import { AddForm } from "./add-form.tsx";
import { FieldError } from "./config-fields.tsx";
import { ToolSwitches } from "./mcp-tools.tsx";
import { parseCommandLine } from "./parse-command-line.ts";
import { Section } from "./section.tsx";
import { useConfig } from "./use-config.ts";

export function McpSettings() {
  const { connection } = useSignalbox();
  const { config, file } = useConfig();
  const { attempt, error, isBusy } = useAttempt();
  const [round, setRound] = useState(0);
  const [tested, setTested] = useState<readonly McpServerRow[]>([]);
  const servers = isJsonObject(config.mcpServers) ? Object.entries(config.mcpServers) : [];
  const test = () =>
    attempt(async () => {
      setTested((await connection.request("mcp.test", {})).servers);
      setRound((last) => last + 1);
    });
  return (
    <Section title="MCP servers" lead={`Tools for Signalbox's own agent. In ${file} under mcpServers.`}>
      <ul className="rows">
        {servers.length === 0 && <li className="hint">None.</li>}
        {servers.map(([name, server]) => (
          <Server
            key={name}
            name={name}
            server={toFields(server)}
            round={round}
            tested={tested.find((row) => row.name === name)}
          />
        ))}
      </ul>
      {servers.length > 0 && (
        <button type="button" className="button" disabled={isBusy} onClick={() => void test()}>
          {isBusy ? "Starting them …" : "Test the servers"}
        </button>
      )}
      <FieldError error={error} />
      <AddServer names={servers.map(([name]) => name)} />
    </Section>
  );
}

interface ServerProps {
  readonly name: string;
  readonly server: JsonObject;
  readonly tested: McpServerRow | undefined;
  /** How many tests there were. */
  readonly round: number;
}

function Server({ name, server, tested, round }: ServerProps) {
  const { set, error, isBusy } = useConfig();
  const path = ["mcpServers", name];
  const isOff = server.disabled === true;
  return (
    <li>
      <span
        className="lamp"
        data-status={
          isOff ? "missing" : tested?.status === "running" ? "idle" : tested === undefined ? "closed" : "failed"
        }
      />
      <b>{name}</b>
      <small>
        <code>{describeServer(server)}</code> <span>{isOff ? "off" : (tested?.status ?? "")}</span>
      </small>
      <span className="row-acts">
        <label className="pick">
          <Switch
            label={`Use ${name}`}
            isOn={!isOff}
            isDisabled={isBusy}
            onChange={(isOn) =>
              void set(isOn ? { path: [...path, "disabled"] } : { path: [...path, "disabled"], value: true })
            }
          />
          on
        </label>
        <button
          type="button"
          className="quiet"
          disabled={isBusy}
          aria-label={`Remove ${name}`}
          onClick={() => void set({ path })}
        >
          Remove
        </button>
      </span>
      {!isOff && tested !== undefined && tested.problem !== null && <p className="error">{tested.problem}</p>}
      {!isOff && tested?.status === "running" && <ToolSwitches key={round} name={name} server={server} row={tested} />}
      <FieldError error={error} />
    </li>
  );
}

function describeServer({ url, command, args }: JsonObject): string {
  if (typeof url === "string") return url;
  const rest: readonly Json[] = Array.isArray(args) ? args : [];
  return [command, ...rest].filter((word) => typeof word === "string").join(" ");
}

function AddServer({ names }: { names: readonly string[] }) {
  const { set, error, isBusy } = useConfig();
  const add = async (name: string, place: string) => {
    const value: JsonObject = /^https?:\/\//.test(place) ? { type: "http", url: place } : parseCommandLine(place);
    return await set({ path: ["mcpServers", name], value });
  };
  return (
    <AddForm
      button="Add server"
      name={{ label: "Name of the MCP server", hint: "name" }}
      line={{ label: "Command or address of the MCP server", hint: "command and arguments, or https://…" }}
      taken={{ names, problem: "There is a server of this name." }}
      isBusy={isBusy}
      error={error}
      onAdd={add}
    />
  );
}
