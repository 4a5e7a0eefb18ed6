/** The reference page of the command, made from its table. */
import { argumentUsage, optionsOf, type Command, type Option } from './command.js';
import type { TableOfCommands } from './program.js';

const HEAD = `# Commands

For whoever types \`countersign\`. After it you know each command, and what it takes.

<!-- made by \`countersign reference\`; a test compares the two -->

In this repository \`npm run -s countersign -- NOUN VERB\` runs it. \`--help\` behind a command explains its options, with
examples. \`countersign completion SHELL\` prints a script that completes words in bash, zsh or fish.

Commands that call the vault do so in the name of a profile, which \`countersign login\` makes. It names files, and holds
no secret. No command takes a secret as an argument, and none prints one. Results go to standard output, progress to
standard error.

What stands in brackets may be left out. What the vault itself needs may stand in the request's \`--file\` instead.

| exit code | means |
|---|---|
| 0 | done |
| 1 | refused, failed, or what was checked does not hold |
| 2 | wrong usage, or a file that is missing or wrong: nothing was asked of the vault |
`;

/** An option that as many commands have is explained once, and not named in their rows. */
const MANY = 20;

export function referencePage({ topics }: TableOfCommands): string {
  const commands = topics.flatMap((topic) => topic.commands);
  const shared = sharedOptions(commands);
  const rows = shared.map(({ name, about }) => `| \`--${name}\` | ${cell(about)} |\n`).join('');
  const options = `\nThe tables leave out the options that many commands have:\n\n| option | is |\n|---|---|\n${rows}`;
  const names = new Set(shared.map(({ name }) => name));
  const sections = topics.map((topic) => {
    const lines = topic.commands.map((command) => rowOf(command, names)).join('');
    return `\n## ${topic.title}\n\n| command | takes | does |\n|---|---|---|\n${lines}`;
  });
  return HEAD + options + sections.join('');
}

function sharedOptions(commands: readonly Command[]): Option[] {
  const all = commands.flatMap((command) => optionsOf(command));
  const uses = Map.groupBy(all, ({ name }) => name);
  return [...uses.values()].filter(({ length }) => length >= MANY).map(([first]) => first!);
}

function rowOf(command: Command, shared: ReadonlySet<string>): string {
  const own = optionsOf(command).filter(({ name }) => !shared.has(name));
  const takes = [
    ...(command.arguments ?? []).map((place) => argumentUsage(place)),
    ...own.map(({ name, isRequired }) => (isRequired ? `--${name}` : `[--${name}]`)),
  ].join(' ');
  const shown = takes === '' ? '' : `\`${cell(takes)}\``;
  return `| \`${command.words}\` | ${shown} | ${cell(command.about.replace(/\.$/, ''))} |\n`;
}

const cell = (text: string) => text.replaceAll('|', '\\|');
