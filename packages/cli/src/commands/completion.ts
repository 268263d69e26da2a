// `signalbox completion` prints a script that completes commands and flags in a shell.
import { UsageError } from "../arguments.ts";
import { type CommandTable, command, exitCodes } from "../command.ts";

const shells = ["bash", "zsh", "fish"] as const;

export const completeCommands = (commands: CommandTable) =>
  command({
    usage: "signalbox completion bash|zsh|fish",
    about: "Prints a script that completes the commands of `signalbox` and their flags.",
    words: { name: "SHELL", min: 1, max: 1, isAction: true },
    flags: {},
    examples: [
      ["source <(signalbox completion bash)", "in ~/.bashrc"],
      ["source <(signalbox completion zsh)", "in ~/.zshrc, after compinit"],
      ["signalbox completion fish > ~/.config/fish/completions/signalbox.fish", "once"],
    ],
    async run(_flags, _program, { given: [wanted] }) {
      const shell = shells.find((name) => name === wanted);
      if (shell === undefined) throw new UsageError(`SHELL is one of ${shells.join(", ")}; "${wanted}" is not.`);
      const named = await Promise.all(
        Object.entries(commands).map(async ([name, entry]): Promise<CompletedCommand> => {
          const flags = Object.keys((await entry.load()).flags).map((flag) => `--${flag}`);
          return { name, summary: entry.summary, flags: [...flags, "--help"] };
        }),
      );
      console.log(writers[shell](named));
      return exitCodes.ok;
    },
  });

interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly string[];
}

type Writer = (commands: readonly CompletedCommand[]) => string;

const writers: Readonly<Record<(typeof shells)[number], Writer>> = {
  bash: (commands) => `_signalbox() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.map(({ name }) => name).join(" ")}"
  else case "\${COMP_WORDS[1]}" in
${commands.map(({ name, flags }) => `    ${name}) words="${flags.join(" ")}" ;;`).join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _signalbox signalbox`,
  zsh: (commands) => `#compdef signalbox
_signalbox() {
  if (( CURRENT == 2 )); then
    local -a commands=(${commands.map(({ name, summary }) => `\n      ${quote(`${name}:${summary.replaceAll(":", "\\:")}`)}`).join("")}
    )
    _describe command commands
    return
  fi
  case $words[2] in
${commands.map(({ name, flags }) => `    ${name}) compadd -- ${flags.join(" ")} ;;`).join("\n")}
  esac
  _files
}
compdef _signalbox signalbox`,
  fish: (commands) =>
    commands
      .flatMap(({ name, summary, flags }) => [
        `complete -c signalbox -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
        ...flags.map((flag) => `complete -c signalbox -n "__fish_seen_subcommand_from ${name}" -l ${flag.slice(2)}`),
      ])
      .join("\n"),
};

/** For each of the three shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
