// Runs turns with host services that are open in this process.
import type { HostServices } from "@signalbox/host";
import type { TurnHost } from "./turn-host.ts";

type LocalServices = Pick<HostServices, "register" | "sessions" | "rules" | "broker" | "elicitations" | "close">;

export function localTurnHost(services: LocalServices): TurnHost {
  const { register, sessions, rules, broker, elicitations } = services;
  return {
    // Services of this process end only when they are closed.
    lost: new Promise<never>(() => {}),
    query: (name, args) => register.query(name, args),
    close: () => services.close(),
    createThread: (thread) => sessions.create(thread),
    resumeThread: (threadId, settings) => sessions.resume(threadId, settings),
    async addRules(threadId, own) {
      rules.addFixed(
        own.map((rule) => ({ ...rule, scope: { type: "thread", id: threadId } })),
        "flag",
      );
    },
    submit: (threadId, promptId, prompt) => sessions.submit(threadId, promptId, prompt),
    cancel: (threadId) => sessions.cancel(threadId),
    async respond(threadId, permissionId, optionId) {
      broker.respond({ threadId, permissionId, optionId, decidedBy: "command" });
      await register.settled(threadId);
    },
    async dismiss(threadId, elicitationId) {
      elicitations.respond(threadId, elicitationId, "cancel", undefined, "command");
      await register.settled(threadId);
    },
    async follow(_threadId, listener) {
      register.onChanges(listener);
    },
    // They are kept in this process only.
    removeRules: async () => {},
    endThread: (threadId) => sessions.close(threadId),
  };
}
