/** Calls of the vault in the name of a profile. */
import type { CallResult } from '@countersign/client/call-result.js';
import { openCallerClient } from '@countersign/client/caller-client.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import type { ClientRequest } from '@countersign/client/raw-client.js';
import { printable } from '../tool/output.js';
import {
  RefusedError,
  UsageError,
  type Given,
  type Option,
  type Surroundings,
} from '../tool/command.js';
import { readProfile, type Profile } from './profile.js';

export const WAIT_OPTION: Option = {
  name: 'wait',
  value: 'SECONDS',
  about:
    'How long to wait for what takes its time, approvals included; 600 when absent. 0: print its id, and end.',
};

const USUAL_WAIT_S = 600;

export interface Caller {
  readonly client: CountersignClient;
  readonly profile: Profile;
}

/** Closes the client whatever `work` comes to. */
export async function asCaller<Value>(
  given: Given,
  io: Surroundings,
  work: (caller: Caller) => Promise<Value>,
): Promise<Value> {
  const profile = readProfile(given, io.environment);
  const files = {
    url: profile.url,
    apiKeyFile: profile.api_key_file,
    privateKeyFile: profile.private_key_file,
  };
  const onRecord = (record: unknown) => io.showProgress(progressOf(record, profile));
  const client = openCallerClient(files, { onRecord });
  try {
    return await work({ client, profile });
  } finally {
    client.close();
  }
}

export function waitMsOf(given: Given): number {
  const seconds = Number(given.maybe('wait') ?? USUAL_WAIT_S);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new UsageError('--wait is a number of seconds');
  return seconds * 1_000;
}

/** Throws RefusedError, in the service's words. */
export function valueOrRefused<Value>(result: CallResult<Value>): Value {
  if (result.ok) return result.value;
  const { errType, errMsg, requestId } = result.error;
  const named = requestId === undefined || errMsg.includes(requestId) ? '' : ` (${requestId})`;
  throw new RefusedError(`${errType}: ${errMsg}${named}`);
}

/** Sends what the client has no typed call for. */
export async function sendOrRefused(
  { client }: Pick<Caller, 'client'>,
  request: ClientRequest,
): Promise<void> {
  const { status, body } = await client.send(request);
  if (status === 200) return;
  const { err_type: type = 'bad_answer', err_msg: text = `status ${status}` } = (body ?? {}) as {
    readonly err_type?: string;
    readonly err_msg?: string;
  };
  throw new RefusedError(printable(`${type}: ${text}`));
}

/** Where a person looks at a request, and approves it by passkey. */
export function consoleLink({ url }: Profile, requestId: string): string {
  return new URL(`/console/requests/${requestId}`, url).href;
}

interface Progress {
  readonly request_id?: string;
  readonly phase?: string;
  readonly approvals?: { readonly required: number; readonly given: readonly unknown[] };
  readonly progress?: { readonly candidates_tried: number; readonly candidates_expected: number };
}

function progressOf(record: unknown, profile: Profile): string {
  const { request_id: id = '', phase = 'working', approvals, progress } = record as Progress;
  if (phase === 'awaiting_approval' && approvals !== undefined) {
    const count = `${approvals.given.length} of ${approvals.required} approvals`;
    return `${count}; people approve at ${consoleLink(profile, id)}`;
  }
  if (progress === undefined) return phase;
  return `${phase}: ${progress.candidates_tried} candidates of about ${progress.candidates_expected}`;
}
