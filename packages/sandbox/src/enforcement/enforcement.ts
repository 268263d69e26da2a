// Declares how this machine can enforce a policy: one value, proven once at start and passed to every command.

export type Enforcement =
  /** Our helper: Landlock and seccomp, with namespaces of its own where the machine allows them. */
  | {
      readonly kind: "landlock";
      readonly helper: string;
      readonly layer: "namespaces" | "landlock";
      readonly abi: number;
    }
  | { readonly kind: "bubblewrap"; readonly program: string }
  | { readonly kind: "seatbelt"; readonly program: string }
  /** The user's own config says `sandbox.mode: "off"`. The helper, where there is one, still supervises. */
  | { readonly kind: "off"; readonly helper: string | undefined }
  /** Commands are refused. */
  | { readonly kind: "unavailable"; readonly reason: string; readonly remedy: string };

/** The only kind that a whole agent runs in: the others close what agents need, or leave open what they must not reach. */
export type AgentEnforcement = Extract<Enforcement, { kind: "landlock" }> & { readonly layer: "namespaces" };

export function canSandboxAgents(enforcement: Enforcement): enforcement is AgentEnforcement {
  return enforcement.kind === "landlock" && enforcement.layer === "namespaces";
}

/** Whether everything that a policy says is enforced here: what runs inside cannot get out by a way that this machine leaves open. */
export function isWhole(enforcement: Enforcement): boolean {
  return enforcement.kind === "seatbelt" || canSandboxAgents(enforcement);
}

/** A network by name needs a loopback of its own. Elsewhere such a command has no network. */
export function goesByName(enforcement: Enforcement): boolean {
  return canSandboxAgents(enforcement);
}

/** One line for `doctor`, the page and the log. */
export function describeEnforcement(enforcement: Enforcement): string {
  switch (enforcement.kind) {
    case "landlock":
      return enforcement.layer === "namespaces"
        ? `sandbox on: Landlock (ABI ${enforcement.abi}), seccomp and namespaces`
        : `sandbox on: Landlock (ABI ${enforcement.abi}) and seccomp, without namespaces: .git/hooks in the workspace and file modes outside are not protected`;
    case "bubblewrap":
      return "sandbox on: bubblewrap, without a system call filter: named unix sockets stay reachable";
    case "seatbelt":
      return "sandbox on: Seatbelt";
    case "off":
      return 'SANDBOX OFF: commands can touch everything you can (sandbox.mode is "off" in your config)';
    case "unavailable":
      return `no sandbox, commands are refused: ${enforcement.reason} ${enforcement.remedy}`;
  }
}
