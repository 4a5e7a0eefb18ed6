/** The reference page of the command, made from its table. */
import type { Command } from './command.js';
import type { TableOfCommands } from './program.js';

const HEAD = `# Commands

For whoever types \`countersign\`. Look up what commands there are. \`--help\` behind one has its arguments, options and
examples.

<!-- made by \`countersign reference\`; a test compares the two -->

In this repository \`npm run -s countersign -- NOUN VERB\` runs it. \`countersign login\` makes the profile in whose name
commands call the vault. No command takes a secret as an argument, and none prints one. Results go to standard output,
progress to standard error.

| exit code | means |
|---|---|
| 0 | done |
| 1 | refused, failed, or what was checked does not hold |
| 2 | wrong usage or a wrong file: nothing was asked of the vault |
`;

export function referencePage({ topics }: TableOfCommands): string {
  const sections = topics.map(
    ({ title, commands }) =>
      `\n## ${title}\n\n| command | does |\n|---|---|\n${rowsOf(commands).join('')}`,
  );
  return [HEAD, ...sections].join('');
}

/** What needs no words: it does to its noun what its verb says. */
const PLAIN =
  /^(?:freeze|unfreeze|replace-party|\S+ (?:list|show|create|update|delete|reject|cancel|wait|order|members|export)$)/;

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
  const verbs = others.map(({ words }) => words.replace(/^\S+ /, ''));
  const typed = [first!.words, ...verbs].map((text) => `\`${text}\``).join(', ');
  const does = isPlain(first!) ? '' : ` ${cell(first!.about.replace(/\.$/, ''))}`;
  return `| ${typed} |${does} |\n`;
}

const cell = (text: string) => text.replaceAll('|', '\\|');
