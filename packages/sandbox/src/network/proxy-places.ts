// Decides where the private loopback of a network by name listens, and what programs inside are told about it: variables for those that know a proxy,
// addresses of names for those that do not.
import { hostname } from "node:os";
import type { NetworkByName } from "../policy/policy.ts";
import type { AllowList } from "./allow-list.ts";

const proxyPort = 3128;
/** 127.0.1.1 is the machine's own name on some systems. */
const namesBegin = [127, 0, 2] as const;
const maxNames = 100;

/** Returns a network that leads only to the proxy at this unix socket. */
export function routeThroughProxy(socket: string, allow: AllowList): NetworkByName {
  // Listening at one place twice fails.
  const exact = [...new Map(allow.exact().map((each) => [`${each.host}:${each.port}`, each])).values()];
  const names = [...new Set(exact.map(({ host }) => host))].filter((host) => host !== "127.0.0.1").slice(0, maxNames);
  const findAddress = (host: string) =>
    host === "127.0.0.1" ? host : [...namesBegin, names.indexOf(host) + 1].join(".");
  const places = exact
    .filter(({ host, port }) => host === "127.0.0.1" || (names.includes(host) && port > 0))
    .map(({ host, port }) => ({ address: findAddress(host), port, target: `${host}:${port}` }))
    .filter(({ address, port }) => address !== "127.0.0.1" || port !== proxyPort);
  const hosts = [
    `127.0.0.1 localhost ${hostname()}`,
    "::1 localhost ip6-localhost",
    ...names.map((name) => `${findAddress(name)} ${name}`),
  ];
  return {
    socket,
    places: [{ address: "127.0.0.1", port: proxyPort, target: "" }, ...places],
    hosts: `${hosts.join("\n")}\n`,
  };
}

const proxy = `http://127.0.0.1:${proxyPort}`;
const direct = "localhost,127.0.0.1,::1";

/** For every program that looks at them. They win over those of the user, whose proxy cannot be reached from inside. */
export const proxyVariables: Readonly<Record<string, string>> = {
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  ALL_PROXY: proxy,
  NO_PROXY: direct,
  http_proxy: proxy,
  https_proxy: proxy,
  all_proxy: proxy,
  no_proxy: direct,
  NODE_USE_ENV_PROXY: "1",
  npm_config_proxy: proxy,
  npm_config_https_proxy: proxy,
  npm_config_noproxy: direct,
  CARGO_HTTP_PROXY: proxy,
  SIGNALBOX_NETWORK: "by name",
};
