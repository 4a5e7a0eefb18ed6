/** Scripts that complete commands in a shell. They hold the whole table: a key press starts no program. */
import { optionsOf, type Command } from './command.js';
import type { TableOfCommands } from './program.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

interface Choice {
  readonly word: string;
  readonly about: string;
}

/** What may come behind these words; for a command, behind anything that begins with them. */
interface Place {
  readonly typed: string;
  readonly isCommand: boolean;
  readonly choices: readonly Choice[];
}

export function completionScript(table: TableOfCommands, shell: Shell): string {
  return { bash, zsh, fish }[shell](placesOf(table));
}

/** Longer ones first: the first that fits counts. */
function placesOf({ topics, nouns }: TableOfCommands): Place[] {
  const commands = topics.flatMap((topic) => topic.commands);
  const places: Place[] = [{ typed: '', isCommand: false, choices: firstWords(commands, nouns) }];
  for (const noun of Object.keys(nouns)) {
    const verbs = commands.filter(({ words }) => words.startsWith(`${noun} `));
    const choices = verbs.map(({ words, about }) => ({ word: words.split(' ')[1]!, about }));
    places.push({ typed: noun, isCommand: false, choices });
  }
  for (const command of commands) {
    places.push({ typed: command.words, isCommand: true, choices: choicesOf(command) });
    for (const { name, words = [] } of optionsOf(command)) {
      if (words.length === 0) continue;
      const choices = words.map((word) => ({ word, about: '' }));
      places.push({ typed: `${command.words}* --${name}`, isCommand: false, choices });
    }
  }
  return places.toSorted((a, b) => b.typed.length - a.typed.length);
}

function firstWords(commands: readonly Command[], nouns: TableOfCommands['nouns']): Choice[] {
  const alone = commands.filter(({ words }) => !words.includes(' '));
  return [
    ...Object.entries(nouns).map(([word, about]) => ({ word, about })),
    ...alone.map(({ words, about }) => ({ word: words, about })),
  ];
}

function choicesOf(command: Command): Choice[] {
  const words = (command.arguments ?? []).flatMap((argument) => argument.words ?? []);
  return [
    ...words.map((word) => ({ word, about: '' })),
    ...optionsOf(command).map(({ name, about }) => ({ word: `--${name}`, about })),
  ];
}

/** `*` stands for anything, as in a shell's patterns; all else is letters, digits, dashes and blanks. */
function patternOf({ typed, isCommand }: Place): string {
  const quoted = typed.split('*').map((part) => (part === '' ? '' : `"${part}"`));
  return `${quoted.join('*') || '""'}${isCommand ? '*' : ''}`;
}

function casesOf(places: readonly Place[]): string {
  const lines = places.map((place) => {
    const words = place.choices.map(({ word }) => word).join(' ');
    return `    ${patternOf(place)}) choices="${words}" ;;\n`;
  });
  return `  case "$typed" in\n${lines.join('')}    *) choices="" ;;\n  esac\n`;
}

function bash(places: readonly Place[]): string {
  return `# completes \`countersign\` in bash
_countersign() {
  local choices typed="\${COMP_WORDS[*]:1:$((COMP_CWORD - 1))}"
${casesOf(places)}  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _countersign countersign
`;
}

function zsh(places: readonly Place[]): string {
  return `#compdef countersign
# completes \`countersign\` in zsh
_countersign() {
  local choices typed="\${(j: :)words[2,CURRENT-1]}"
${casesOf(places)}  compadd -- \${=choices} || _files
}
compdef _countersign countersign
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap((place) => {
    const typed = `${place.typed}${place.isCommand ? '*' : ''}`;
    return place.choices.map(
      ({ word, about }) =>
        `complete -c countersign -n '__countersign_typed "${typed}"' -a '${word}' -d '${firstSentence(about)}'\n`,
    );
  });
  return `# completes \`countersign\` in fish
function __countersign_typed
  set -l typed (commandline -opc)
  string match -q -- $argv[1] "$typed[2..]"
end
${lines.join('')}`;
}

function firstSentence(text: string): string {
  return text.split(/[.:;](?:\s|$)/)[0]!.replaceAll("'", '’');
}
