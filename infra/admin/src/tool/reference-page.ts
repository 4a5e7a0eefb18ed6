/** The reference page of the command, made from its table. */
import { argumentUsage, optionsOf, type Command, type Option } from './command.js';
import type { TableOfCommands } from './program.js';

const HEAD = `# Commands

For whoever types \`countersign\`. Look up each command, and what it must be given.

<!-- made by \`countersign reference\`; a test compares the two -->

In this repository \`npm run -s countersign -- NOUN VERB\` runs it. \`--help\` behind a command has all its options, with
examples. The first of several in one row has the noun, and each does what its verb says. \`countersign login\` makes the
profile in whose name commands call the vault. No command takes a secret as an argument, and none prints one. Results go
to standard output, progress to standard error.

| exit code | means |
|---|---|
| 0 | done |
| 1 | refused, failed, or what was checked does not hold |
| 2 | wrong usage or a wrong file: nothing was asked of the vault |

Options, or a \`--file\` where the help names it, give the body of a request. Many commands have these options:

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
      `\n## ${title}\n\n| command | does |\n|---|---|\n${rowsOf(commands).join('')}`,
  );
  return [HEAD, ...options, ...sections].join('');
}

function sharedOptions(commands: readonly Command[]): Option[] {
  const all = commands.flatMap((command) => optionsOf(command));
  const uses = (name: string) => all.filter((option) => option.name === name).length;
  const byName = new Map(all.map((option) => [option.name, option]));
  return [...byName.values()].filter(({ name }) => uses(name) >= MANY);
}

/** What needs no words: it does to its noun what its verb says. */
const PLAIN = /^(?:freeze|unfreeze|\S+ (?:list|show|create|update|delete|reject|cancel))\b/;

/** One for each command, but for plain ones of one noun that follow each other. */
function rowsOf(commands: readonly Command[]): string[] {
  const rows: Command[][] = [];
  for (const command of commands) {
    const row = rows.at(-1);
    const isBeside = row !== undefined && [row[0]!, command].every((one) => isPlain(one));
    if (isBeside && nounOf(row[0]!) === nounOf(command)) row.push(command);
    else rows.push([command]);
  }
  return rows.map(rowOf);
}

const isPlain = ({ words }: Command) => PLAIN.test(words);
const nounOf = ({ words }: Command) => words.split(' ', 1)[0]!;

function rowOf([first, ...others]: readonly Command[]): string {
  const verbs = others.map((one) => typedOf(one).replace(/^\S+ /, ''));
  const typed = [typedOf(first!), ...verbs].map((text) => `\`${cell(text)}\``).join(', ');
  const does = others.length === 0 ? ` ${cell(first!.about.replace(/\.$/, ''))}` : '';
  return `| ${typed} |${does} |\n`;
}

function typedOf(command: Command): string {
  return [
    command.words,
    ...(command.arguments ?? []).map((place) => argumentUsage(place)),
    ...optionsOf(command).flatMap(({ name, isRequired }) => (isRequired ? [`--${name}`] : [])),
  ].join(' ');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
