/** The reference page of the command, made from its table. */
import { argumentUsage, flagOf, type Argument, type Command, type Option } from './command.js';
import type { TableOfCommands } from './program.js';

const HEAD = `# Commands

For whoever types \`countersign\`. After it you know each command, its arguments and its options.

<!-- made by \`countersign reference\`; a test compares the two -->

In this repository \`npm run -s countersign -- NOUN VERB\` runs it. Commands are a noun and a verb. \`--help\` behind any of
them says more, with examples; a misspelt word is answered with the nearest one. \`countersign completion SHELL\` prints a
script that completes words in bash, zsh or fish.

Commands that call the vault do so in the name of a profile, which \`countersign login\` makes. It names files, and holds
no secret. No command takes a secret as an argument, and none prints one.

Every command takes \`--json\`. Results go to standard output. Progress goes to standard error, on a terminal alone.

| exit code | means |
|---|---|
| 0 | done |
| 1 | refused, failed, or what was checked does not hold |
| 2 | wrong usage, or a file that is missing or wrong: nothing was asked of the vault |
`;

export function referencePage({ topics }: TableOfCommands): string {
  const sections = topics.map(
    ({ title, commands }) => `\n## ${title}\n${commands.map(sectionOf).join('')}`,
  );
  return HEAD + sections.join('');
}

function sectionOf(command: Command): string {
  const { words, about, arguments: places = [], options = [], examples } = command;
  const rows = [
    ...places.map((place) => row(argumentUsage(place), place)),
    ...options.map((option) => row(`${short(option)}${flagOf(option)}`, option)),
  ];
  const table = rows.length === 0 ? '' : `\n| argument | is |\n|---|---|\n${rows.join('')}`;
  const typed = examples.map((one) => `countersign ${one}\n`).join('');
  return `\n### ${words}\n\n${about}${about.endsWith('.') ? '' : '.'}\n\n\`\`\`sh\n${typed}\`\`\`\n${table}`;
}

const short = ({ short: letter }: Option) => (letter === undefined ? '' : `-${letter}, `);

function row(name: string, { about, words, ...rest }: Argument | Option): string {
  const isNeeded = 'isRequired' in rest && rest.isRequired === true ? ' Required.' : '';
  const allowed = words === undefined ? '' : ` One of ${words.join(', ')}.`;
  return `| \`${name.replaceAll('|', '\\|')}\` | ${about.replaceAll('|', '\\|')}${allowed}${isNeeded} |\n`;
}
