/** The reference page of the command, made from its table. */
import { argumentUsage, optionsOf, type Command, type Option } from './command.js';
import type { TableOfCommands } from './program.js';

const HEAD = `# Commands

For whoever types \`countersign\`. Look up each command, and what it must be given.

<!-- made by \`countersign reference\`; a test compares the two -->

In this repository \`npm run -s countersign -- NOUN VERB\` runs it. \`--help\` behind a command has all its options, with
examples. Commands call the vault in the name of a profile, which \`countersign login\` makes. No command takes a secret as
an argument, and none prints one. Results go to standard output, progress to standard error.

| exit code | means |
|---|---|
| 0 | done |
| 1 | refused, failed, or what was checked does not hold |
| 2 | wrong usage, or a file that is missing or wrong: nothing was asked of the vault |

The body of a request is given by options, or by \`--file\`, where the help names it. Many commands have these options:

| option | is |
|---|---|
`;

/** An option that as many commands have is explained once. */
const MANY = 20;

export function referencePage({ topics }: TableOfCommands): string {
  const shared = sharedOptions(topics.flatMap((topic) => topic.commands));
  const options = shared.map(({ name, about }) => `| \`--${name}\` | ${cell(about)} |\n`);
  const sections = topics.map(
    ({ title, commands }) =>
      `\n## ${title}\n\n| command | does |\n|---|---|\n${commands.map(rowOf).join('')}`,
  );
  return [HEAD, ...options, ...sections].join('');
}

function sharedOptions(commands: readonly Command[]): Option[] {
  const all = commands.flatMap((command) => optionsOf(command));
  const uses = (name: string) => all.filter((option) => option.name === name).length;
  const byName = new Map(all.map((option) => [option.name, option]));
  return [...byName.values()].filter(({ name }) => uses(name) >= MANY);
}

function rowOf(command: Command): string {
  const typed = [
    command.words,
    ...(command.arguments ?? []).map((place) => argumentUsage(place)),
    ...optionsOf(command).flatMap(({ name, isRequired }) => (isRequired ? [`--${name}`] : [])),
  ];
  return `| \`${cell(typed.join(' '))}\` | ${cell(command.about.replace(/\.$/, ''))} |\n`;
}

const cell = (text: string) => text.replaceAll('|', '\\|');
