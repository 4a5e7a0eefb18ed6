/** Requests: looked at, waited for, decided. */
import { UUID_PATTERN } from '@countersign/core/hash.js';
import {
  RefusedError,
  type Command,
  type Given,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';
import { yamlOf } from '../tool/output.js';
import type { ShownRequest } from '../requests/show-request.js';
import { apiCommand, callOnce } from './api-command.js';
import {
  asCaller,
  consoleLink,
  valueOrRefused,
  waitMsOf,
  WAIT_OPTION,
  type Caller,
} from './caller.js';
import { isConfirmed, YES_OPTION } from './confirm.js';
import { readText } from './given-files.js';
import { PROFILE_OPTION } from './profile.js';
import {
  answerWithoutSecret,
  openRecordSecretFile,
  RECORD_SECRET_OPTION,
  type SecretFile,
} from './secret-file.js';

const REQUEST_ID = {
  name: 'REQUEST_ID',
  about: 'The request, as its answer 202 or a receipt names it.',
} as const;

const VENUE_OPTION = {
  name: 'venue',
  value: 'VENUE',
  about: 'Where the key is good, if you know it and the record does not prove it.',
} as const;

const show: Command = {
  words: 'requests show',
  about: 'Show what became of a request; of one that waits, what was asked for.',
  details: `With --verify, everything is computed again on this machine from the signed bytes: what was asked for, by whom, and
the digest to approve. Exit code 1: the record says something else. A secret is not printed: the answer names its file.`,
  arguments: [
    {
      name: 'REQUEST',
      about:
        'Its id, or a file with the answer of GET /v1/requests/{request_id}; - reads standard input.',
    },
  ],
  options: [
    { name: 'verify', about: 'Compute what was asked for, and its digest, on this machine.' },
    VENUE_OPTION,
    RECORD_SECRET_OPTION,
    PROFILE_OPTION,
  ],
  examples: [
    'requests show 01234567-89ab-4cde-8f01-abcdefabcdef',
    'requests show record.json --verify',
  ],
  async run(given, io) {
    const named = given.one('REQUEST');
    const isId = UUID_PATTERN.test(named);
    const json = isId
      ? JSON.stringify(
          await asCaller(given, io, (caller) =>
            recordOf(caller, io, named, given.maybe('secret-file')),
          ),
        )
      : readText(named, io);
    if (isId && !given.is('verify')) return shown(JSON.parse(json));
    const request = await shownRequest(json, given.maybe('venue'));
    const isWrong = given.is('verify') && request.record_differs_in.length > 0;
    return { value: request, ...(isWrong && { code: 1 }) };
  },
};

const wait: Command = {
  words: 'requests wait',
  about: 'Wait until a request has ended, and print what it came to.',
  details:
    'Exit code 1: it came to nothing, or goes on after the time is over. A secret is not printed: the answer names its file.',
  arguments: [REQUEST_ID],
  options: [WAIT_OPTION, RECORD_SECRET_OPTION, PROFILE_OPTION],
  examples: [
    'requests wait 01234567-89ab-4cde-8f01-abcdefabcdef --wait 3600',
    'requests wait 01234567-89ab-4cde-8f01-abcdefabcdef --secret-file bot.api-key',
  ],
  async run(given, io) {
    const id = given.one('REQUEST_ID');
    const options = { waitMs: waitMsOf(given) };
    const wait = ({ client }: Caller) =>
      withSecretFile(given.maybe('secret-file'), io, async (secret) =>
        answerWithoutSecret(valueOrRefused(await client.waitForRequest(id, options)), secret),
      );
    return shown(await asCaller(given, io, wait));
  },
};

const approve: Command = {
  words: 'requests approve',
  about: 'Approve a request that waits, after a look at it.',
  details: `What is approved is computed on this machine from the signed bytes, and shown before somebody has to say yes. A
machine user approves where a policy names it. People approve by passkey, in the console: the link is printed.`,
  arguments: [REQUEST_ID],
  options: [VENUE_OPTION, YES_OPTION, WAIT_OPTION, PROFILE_OPTION],
  examples: ['requests approve 01234567-89ab-4cde-8f01-abcdefabcdef'],
  run: (given, io) => asCaller(given, io, (caller) => approveRequest(caller, given, io)),
};

async function approveRequest(caller: Caller, given: Given, io: Surroundings): Promise<Outcome> {
  const id = given.one('REQUEST_ID');
  const params = { request_id: id };
  const record = await recordOf(caller, io, id);
  const request = await shownRequest(JSON.stringify(record), given.maybe('venue'));
  if (request.request_id !== id || request.record_differs_in.length > 0) {
    throw new RefusedError(`the record of ${id} is not of what was signed: it is not approved`);
  }
  io.writeNote(yamlOf(request));
  if (!(await isConfirmed('Approve it?', given, io))) {
    return { value: { approved: false }, text: 'Nothing was approved.\n', code: 1 };
  }
  const asked = { params, body: { digest: request.digest }, waitMs: waitMsOf(given) };
  try {
    return shown(await callOnce(caller.client, 'approve-request', asked));
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw new RefusedError(
      `${error.message}\npeople approve by passkey: ${consoleLink(caller.profile, id)}`,
    );
  }
}

const showReceipt: Command = {
  words: 'receipt show',
  about: 'Print the receipt of a signature of yours, as `receipt verify` takes it.',
  arguments: [REQUEST_ID],
  options: [PROFILE_OPTION],
  examples: ['receipt show 01234567-89ab-4cde-8f01-abcdefabcdef > receipt.json'],
  async run(given, io) {
    const id = given.one('REQUEST_ID');
    const record = await asCaller(given, io, (caller) => recordOf(caller, io, id));
    const { receipt } = ((record as { result?: unknown }).result ?? {}) as { receipt?: unknown };
    if (receipt === undefined)
      throw new RefusedError('the request has no receipt that you may see');
    return { value: receipt };
  },
};

/** Without a secret that it came to: that is in a file. */
function recordOf(
  { client }: Caller,
  io: Surroundings,
  id: string,
  secretFile?: string,
): Promise<unknown> {
  return withSecretFile(secretFile, io, async (secret) => {
    const record = valueOrRefused(await client.call('get-request', { params: { request_id: id } }));
    const { result } = record as { readonly result?: unknown };
    if (result === undefined) return record;
    return { ...record, result: answerWithoutSecret(result, secret) };
  });
}

async function withSecretFile<Value>(
  path: string | undefined,
  io: Surroundings,
  read: (secret: SecretFile) => Promise<Value>,
): Promise<Value> {
  const secret = openRecordSecretFile(path, io);
  try {
    return await read(secret);
  } finally {
    secret.close();
  }
}

function shown(value: unknown): Outcome {
  return { value, text: yamlOf(value) };
}

/** It reads transactions and venues' requests: what it needs for that loads when it is asked. */
async function shownRequest(json: string, venue: string | undefined): Promise<ShownRequest> {
  const { showRequest, UnreadableRecordError } = await import('../requests/show-request.js');
  try {
    return showRequest(json, venue);
  } catch (error) {
    throw error instanceof UnreadableRecordError ? new RefusedError(error.message) : error;
  }
}

export const REQUEST_COMMANDS: readonly Command[] = [
  apiCommand('requests list', 'list-requests', {
    columns: ['request_id', 'operation', 'status', 'phase', 'created_by', 'created_at'],
    examples: ['requests list --awaiting-my-approval true'],
  }),
  show,
  wait,
  approve,
  apiCommand('requests reject', 'reject-request', {
    examples: ['requests reject REQUEST_ID --reason "not agreed with the desk"'],
  }),
  apiCommand('requests cancel', 'cancel-request', { examples: ['requests cancel REQUEST_ID'] }),
];

export const RECEIPT_COMMANDS: readonly Command[] = [showReceipt];
