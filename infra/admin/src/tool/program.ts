/** The program that a table of commands describes: what it reads, and what it says of itself. */
import {
  Argument as ReadArgument,
  Command as Reader,
  CommanderError,
  Option as ReadOption,
} from 'commander';
import {
  flagOf,
  optionsOf,
  UsageError,
  type Argument,
  type Command,
  type Given,
  type Option,
  type Topic,
} from './command.js';

export interface TableOfCommands {
  readonly topics: readonly Topic[];
  /** What a noun is about. */
  readonly nouns: Readonly<Record<string, string>>;
}

type Perform = (command: Command, given: Given) => Promise<void>;

interface Printer {
  writeOutput(text: string): void;
  writeNote(text: string): void;
}

/** Reads what was typed, and performs it. Rejects with UsageError for what is not to be understood. */
export async function runProgram(
  table: TableOfCommands,
  typed: readonly string[],
  { printer, perform }: { readonly printer: Printer; readonly perform: Perform },
): Promise<void> {
  try {
    await buildProgram(table, printer, perform).parseAsync(typed, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError(withoutValues(error.message));
  }
}

/** What was typed by mistake may be a secret: names are told, never values. */
function withoutValues(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/^\(outputHelp\)$/, 'a command is missing')
    .replace(/'(--?[^=']*)=.*'/s, "'$1'")
    .replace(/command '(?![a-z-]{1,24}')[^']*'/, 'command')
    .replace(/ argument '.*' is invalid\./s, ' has a value that it may not have.')
    .replace(/value '.*' is invalid for/s, 'value is invalid for');
}

function buildProgram({ topics, nouns }: TableOfCommands, printer: Printer, perform: Perform) {
  const root = new Reader('countersign')
    .usage('NOUN VERB [options]')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => printer.writeOutput(text),
      writeErr: (text) => printer.writeNote(text),
      outputError: () => undefined, // said once, where everything is
    })
    .addHelpText('after', EXIT_CODES);
  for (const { title, commands } of topics) {
    for (const command of commands) {
      const noun = nounOf(command);
      const parent = noun === undefined ? root : groupOf(root, noun, { title, nouns, topics });
      addCommand(parent, command, { title, perform });
    }
  }
  return root;
}

const EXIT_CODES = `
\`countersign NOUN --help\` and \`countersign NOUN VERB --help\` say more.
Exit codes: 0 done; 1 refused, failed, or what was checked does not hold; 2 wrong usage, or a file that is wrong.`;

/** Of `policies apply`. */
function nounOf({ words }: Command): string | undefined {
  return words.includes(' ') ? words.split(' ')[0] : undefined;
}

function groupOf(
  root: Reader,
  noun: string,
  {
    title,
    nouns,
    topics,
  }: TableOfCommands & {
    readonly title: string;
  },
): Reader {
  const found = root.commands.find((one) => one.name() === noun);
  if (found !== undefined) return found;
  const commands = topics.flatMap((topic) => topic.commands);
  const [first] = commands.filter((one) => nounOf(one) === noun).flatMap((one) => one.examples);
  return root
    .command(noun)
    .usage('VERB [options]')
    .description(nouns[noun] ?? '')
    .helpGroup(`${title}:`)
    .addHelpText('after', first === undefined ? '' : `\nFor example:\n  countersign ${first}`);
}

function addCommand(
  parent: Reader,
  command: Command,
  { title, perform }: { readonly title: string; readonly perform: Perform },
): void {
  const made = parent.command(command.words.split(' ').at(-1)!).summary(command.about);
  const details =
    command.details === undefined ? '' : `\n\n${command.details.replaceAll('\n', ' ')}`;
  made.description(command.about + details);
  if (!command.words.includes(' ')) made.helpGroup(`${title}:`);
  for (const argument of command.arguments ?? []) made.addArgument(readArgument(argument));
  for (const option of optionsOf(command)) made.addOption(readOption(option));
  const examples = command.examples.map((one) => `\n  countersign ${one}`).join('');
  made.addHelpText('after', `\nExamples:${examples}`);
  made.action(() => perform(command, givenOf(command, made.processedArgs, made.opts())));
}

function readArgument(argument: Argument): ReadArgument {
  const { name, isOptional, isList, words } = argument;
  const shown = `${name}${isList ? '...' : ''}`;
  const read = new ReadArgument(isOptional ? `[${shown}]` : `<${shown}>`, argument.about);
  return words === undefined ? read : read.choices(words);
}

function readOption(option: Option): ReadOption {
  const flags = `${option.short === undefined ? '' : `-${option.short}, `}${flagOf(option)}`;
  const read = new ReadOption(flags, option.about);
  if (option.isRequired) read.makeOptionMandatory();
  if (option.words !== undefined) read.choices(option.words);
  // one value each time: what follows may be an argument
  if (option.isList) {
    read.argParser((value, before) => [...((before as string[] | undefined) ?? []), value]);
  }
  return read;
}

type Value = string | readonly string[] | boolean | undefined;

function givenOf(
  command: Command,
  typed: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): Given {
  const values = new Map<string, Value>([
    ...(command.arguments ?? []).map(({ name }, at) => [name, typed[at] as Value] as const),
    ...optionsOf(command).map(({ name }) => [name, options[camelCase(name)] as Value] as const),
  ]);
  const read = (name: string): Value => {
    if (!values.has(name)) throw new TypeError(`${command.words} has no ${name}`);
    return values.get(name);
  };
  return {
    one: (name) => read(name) as string,
    maybe: (name) => read(name) as string | undefined,
    all: (name) => (read(name) ?? []) as readonly string[],
    is: (name) => read(name) === true,
  };
}

/** As commander names an option's value. */
function camelCase(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
