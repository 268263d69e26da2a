// The ways to log in that an agent named when it was tested: a command for a terminal, or a way that the agent goes by itself.
import { type AgentTestRow, isJsonObject } from "@signalbox/protocol";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { CommandLine } from "../shared/command-line.tsx";

export function AgentLogIn({ tested, onDone }: { tested: AgentTestRow; onDone: () => void }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const logIn = async (method_id: string) => {
    await attempt(() => connection.request({ control: "agents.log_in", agent_id: tested.agent_id, method_id }));
    onDone();
  };
  return (
    <>
      {tested.auth_methods.filter(isJsonObject).map(({ id, name, description, command }) => {
        if (typeof id !== "string") return null;
        const words = typeof name === "string" ? name : id;
        return (
          <div key={id} className="hint">
            <b>{words}</b> {typeof description === "string" && description}
            {typeof command === "string" ? (
              <CommandLine words={command} />
            ) : (
              <button type="button" className="button" disabled={isBusy} onClick={() => void logIn(id)}>
                {isBusy ? "Waiting for you there …" : "Log in"}
              </button>
            )}
          </div>
        );
      })}
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
    </>
  );
}
