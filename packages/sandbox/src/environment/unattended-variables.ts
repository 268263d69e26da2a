// Variables for commands without a keyboard: an editor or a log-in question would wait for ever, and what needs the network should
// fail immediately where there is none. A command line can set them to something else.
import { proxyVariables } from "../network/proxy-places.ts";
import type { NetworkAccess } from "../policy/policy.ts";

const unattended: Readonly<Record<string, string>> = {
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  EDITOR: "true",
  VISUAL: "true",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  // A bash at the top whose input is a socket takes itself for one that ssh started, and runs the user's ~/.bashrc first.
  SHLVL: "1",
};

/** These programs try again for more than a minute by themselves. */
const withoutNetwork: Readonly<Record<string, string>> = {
  ...unattended,
  npm_config_fetch_retries: "0",
  PIP_RETRIES: "0",
  CARGO_NET_RETRY: "0",
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
  COREPACK_ENABLE_NETWORK: "0",
  UV_OFFLINE: "1",
  YARN_ENABLE_NETWORK: "0",
  YARN_HTTP_RETRY: "0",
  pnpm_config_fetch_retries: "0",
  SIGNALBOX_NETWORK: "off",
};

/** Without PIP_RETRIES, pip repeats a refused request five times, for twelve seconds. */
const byName: Readonly<Record<string, string>> = { ...unattended, ...proxyVariables, PIP_RETRIES: "1" };

export function unattendedVariables(network: NetworkAccess): Readonly<Record<string, string>> {
  if (network === "off") return withoutNetwork;
  return network === "on" ? unattended : byName;
}
