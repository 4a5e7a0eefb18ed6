/**
 * What a party's operator does on the party's own host. The programs that touch its keys are the signer's: they are
 * started here, and have the environment of this command.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UsageError, type Command, type Given, type Outcome } from '../tool/command.js';
import { apiCommand } from './api-command.js';

const BUNDLE = new URL('../../../../signer/bundle/', import.meta.url);

const PRIMARY = "Runs with the environment of the party's primary replica, on its host.";

interface Program extends Omit<Command, 'run'> {
  /** Of the signer's bundle. */
  readonly program: string;
  /** What of the program's own arguments goes before those that were typed. */
  readonly verb?: string;
}

function programCommand({ program, verb, ...described }: Program): Command {
  return { ...described, run: (given) => start(program, typedFor(described, verb, given)) };
}

/** As the program reads them. */
function typedFor(
  { arguments: places = [], options = [] }: Pick<Command, 'arguments' | 'options'>,
  verb: string | undefined,
  given: Given,
): string[] {
  const typed = places.flatMap(({ name, isList }) =>
    isList ? given.all(name) : [given.one(name)],
  );
  const flags = options.flatMap(({ name, value, isList }) => {
    if (value === undefined) return given.is(name) ? [`--${name}`] : [];
    const values = isList ? given.all(name) : [given.maybe(name)];
    return values.flatMap((one) => (one === undefined ? [] : [`--${name}`, one]));
  });
  return [...(verb === undefined ? [] : [verb]), ...typed, ...flags];
}

async function start(program: string, args: readonly string[]): Promise<Outcome> {
  const path = fileURLToPath(new URL(`${program}.js`, BUNDLE));
  if (!existsSync(path)) throw new UsageError('this is no host of a party: it has no signer');
  const child = spawn(process.execPath, [path, ...args], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  // its own words were said
  if (code === 2) throw new UsageError('');
  return { code: code === 0 ? 0 : 1 };
}

const KEK_OPTIONS = [
  { name: 'kek-file', value: 'FILE', about: 'Where the key-encryption key lies.' },
  {
    name: 'kek-provider',
    value: 'FILE',
    about: 'Settings of a provider whose key wraps it: an HSM, a transit engine or a cloud.',
  },
] as const;

export const PARTY_COMMANDS: readonly Command[] = [
  programCommand({
    words: 'party create-keys',
    program: 'secrets/create-keys',
    about: "Make a party's keys, and print their public half.",
    arguments: [
      { name: 'FOLDER', about: 'A new folder (mode 0700).' },
      { name: 'PARTY', about: 'Which party.', words: ['1', '2', '3'] },
    ],
    options: [{ ...KEK_OPTIONS[0], isRequired: true }, KEK_OPTIONS[1]],
    examples: [
      'party create-keys /etc/countersign/party-1 1 --kek-file /etc/countersign/kek-1/kek.key',
    ],
  }),
  programCommand({
    words: 'party remember',
    program: 'recovery/remember',
    about: 'Give a party whose pin file is lost a memory to start with.',
    details: `${PRIMARY} The party then takes no request of the last five minutes, nor of the next.`,
    arguments: [
      { name: 'PIN_FILE', about: 'Pin files of other nodes.', isList: true, isOptional: true },
    ],
    options: [{ name: 'trust-database', about: 'Where no node has a pin file.' }],
    examples: ['party remember gateway-pin.json party-2-pin.json'],
  }),
  programCommand({
    words: 'party confirm-successor',
    program: 'secrets/succession/confirm-successor',
    about: 'Say that the keys of a new host are those that its operator has read to you.',
    details: PRIMARY,
    arguments: [
      { name: 'PARTY', about: 'The party that is replaced.', words: ['1', '2', '3'] },
      { name: 'IDENTITY_PUBLIC_KEY', about: 'As the new host printed it.' },
      { name: 'EXCHANGE_PUBLIC_KEY', about: 'As the new host printed it.' },
    ],
    examples: ['party confirm-successor 3 IDENTITY_PUBLIC_KEY EXCHANGE_PUBLIC_KEY'],
  }),
  programCommand({
    words: 'kek rotate',
    program: 'secrets/rotation/rotate',
    verb: 'kek',
    about: 'Give a party another key-encryption key.',
    details: PRIMARY,
    options: KEK_OPTIONS,
    examples: [
      'kek rotate',
      'kek rotate --kek-file /etc/countersign/kek-1/kek.json --kek-provider transit.json',
    ],
  }),
  apiCommand('parties show', 'get-parties', { examples: ['parties show'] }),
  apiCommand('replace-party', 'replace-party', {
    examples: ['replace-party 3 --identity-public-key KEY --exchange-public-key KEY'],
  }),
  apiCommand('refresh', 'refresh-shares', { examples: ['refresh --dealers 1,2'] }),
];

export const BACKUP_COMMANDS: readonly Command[] = [
  programCommand({
    words: 'backup create-recovery-key',
    program: 'secrets/backup/backup',
    verb: 'recovery-key',
    about: 'Make a recovery key, and print its public half.',
    arguments: [{ name: 'FILE', about: 'A new file (mode 0600).' }],
    examples: ['backup create-recovery-key ada.age'],
  }),
  programCommand({
    words: 'backup make',
    program: 'secrets/backup/backup',
    verb: 'make',
    about: "Make a party's backup, which some of several recovery keys open together.",
    details: PRIMARY,
    arguments: [{ name: 'FILE', about: 'A new file (mode 0600).' }],
    options: [
      {
        name: 'recipient',
        value: 'AGE_KEY',
        about: 'Public half of a recovery key; repeated.',
        isRequired: true,
        isList: true,
      },
      {
        name: 'threshold',
        value: 'NUMBER',
        about: 'How many recovery keys open it.',
        isRequired: true,
      },
    ],
    examples: ['backup make party-1.backup --recipient age1… --recipient age1… --threshold 2'],
  }),
  programCommand({
    words: 'restore',
    program: 'secrets/backup/backup',
    verb: 'restore',
    about: 'Restore a party from its backup, on a host without it.',
    details: PRIMARY,
    arguments: [{ name: 'FILE', about: 'The backup.' }],
    options: [
      {
        name: 'recovery-key',
        value: 'FILE',
        about: 'A recovery key; as many as the backup asks for.',
        isRequired: true,
        isList: true,
      },
      {
        name: 'pin',
        value: 'FILE',
        about: 'A pin file of another node; all that you have.',
        isRequired: true,
        isList: true,
      },
    ],
    examples: [
      'restore party-1.backup --recovery-key ada.age --recovery-key bo.age --pin pin.json',
    ],
  }),
];
