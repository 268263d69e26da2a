// This module finds the hosts that a command line names. It is a help for a person who decides, and no wall: a command can reach others.
import { readCommand } from "./command-readings.ts";
import { parseHost } from "./subject.ts";
import { nameProgram } from "./wrappers.ts";

const maxHosts = 50;

/** An address with a scheme, anywhere in a word: also in `--registry=https://…`. */
const address = /\b(?:https?|wss?|ftps?|git|ssh|sftp|rsync)(?:\+[a-z]+)?:\/\/[^\s'"<>|;&)]+/gi;
/** `git@example.org:path`, as git, scp and rsync write it. */
const remotePath = /^[\w.-]+@([\w-]+(?:\.[\w-]+)+):/;
const hostName = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z0-9-]+\.)+[a-z]{2,})(?::\d+)?$/i;

/** These take a host, or an address without a scheme, as a word of its own. */
const hostPrograms = new Set(
  "curl wget http https ssh sftp mosh telnet nc ncat ping dig nslookup host whois".split(" "),
);
/** Options of those programs after which the next word is no value of theirs. */
const flag = /^-[fsSLkvIiNOqgGJ46AatTXxYCn]+$/;

/** With its port where one is written. What stands in a variable or a file is not found. */
export function hostsInCommand(command: string): readonly string[] {
  const found = new Set<string>();
  for (const [program = "", ...words] of readCommand(command).possible) {
    const isReaching = hostPrograms.has(nameProgram(program));
    for (const [index, word] of words.entries()) {
      const addresses = word.match(address) ?? [];
      for (const each of addresses) addHost(found, parseHost(each.replace(/^[\w+]+:/, "https:")));
      addHost(found, remotePath.exec(word)?.[1]);
      if (isReaching && addresses.length === 0 && isOperand(words[index - 1]))
        addHost(found, hostName.exec(word.replace(/^[\w.-]+@/, "").replace(/[/?#].*$/s, ""))?.[0]);
    }
  }
  return [...found].slice(0, maxHosts);
}

/** Whether a word is no value of the option before it. Of an option that is not known it might be one. */
function isOperand(before: string | undefined): boolean {
  return before === undefined || !before.startsWith("-") || flag.test(before);
}

function addHost(found: Set<string>, host: string | undefined): void {
  if (host !== undefined && /^[\w.:[\]-]+$/.test(host)) found.add(host.toLowerCase());
}
