// Shows the tools of an MCP server with a switch each. A tool that is switched off goes into excludeTools of the config.

import { type Json, type JsonObject, type McpServerRow } from "@signalbox/protocol";
import { useState } from "react";
import { CheckBox } from "../shared/check-box.tsx";
import { FieldError } from "./config-fields.tsx";
import { useConfig } from "./use-config.ts";

interface ToolSwitchesProps {
  readonly name: string;
  /** Its part of the config. */
  readonly server: JsonObject;
  /** The result of testing the server. */
  readonly row: McpServerRow;
}

/** For the result of one test: that of another one is another component. */
export function ToolSwitches({ name, server, row }: ToolSwitchesProps) {
  const { set, error, isBusy } = useConfig();
  const path = ["mcpServers", name, "excludeTools"];
  const excluded = readNames(server.excludeTools);
  const [switchedOn, setSwitchedOn] = useState<readonly string[]>([]);
  /** Left out by more than its name: no switch changes that. */
  const isFixed = (tool: string) =>
    row.left_out.includes(tool) && !excluded.includes(tool) && !switchedOn.includes(tool);
  const tools = [...row.tool_names, ...row.left_out].toSorted();
  const change = (tool: string, isUsed: boolean) => {
    if (isUsed) setSwitchedOn([...switchedOn, tool]);
    const names = isUsed ? excluded.filter((each) => each !== tool) : [...excluded, tool];
    return set(names.length === 0 ? { path } : { path, value: [...names] });
  };
  if (tools.length === 0) return <p className="hint">It has no tools.</p>;
  return (
    <fieldset className="tool-switches" aria-label={`Tools of ${name}`}>
      {tools.map((tool) => (
        <label key={tool} className="pick" title={isFixed(tool) ? "Left out by includeTools or a pattern" : undefined}>
          <CheckBox
            isOn={!isFixed(tool) && !excluded.includes(tool)}
            isDisabled={isBusy || isFixed(tool)}
            onChange={(isOn) => void change(tool, isOn)}
          />
          {tool}
        </label>
      ))}
      <small className="hint">New threads use what is switched on here.</small>
      <FieldError error={error} />
    </fieldset>
  );
}

function readNames(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
