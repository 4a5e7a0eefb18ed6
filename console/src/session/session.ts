/** Who this page is, from sign-in until the tab closes, the token ends, or nobody is there any more. */
import type { OperationCalls, OperationValue } from '@countersign/client/operation-calls.js';
import { enrollmentProof } from '@countersign/core/enrolment-proof.js';
import { valueOf, type CallResult } from '@countersign/client/call-result.js';
import { browserTransport, cookieTransport } from './browser-transport.js';
import { readEvents } from './event-stream.js';
import { createVaultCalls } from './vault-calls.js';
import { makePasskey, passkeySigner } from './passkey.js';
import { openCalls, type SignInFacts } from './sign-in-facts.js';

export type Person = OperationValue<'whoami'>;

export interface Session {
  readonly person: Person;
  readonly calls: OperationCalls;
  /** As `readEvents`, with this person's token. */
  follow(target: string, event: string, signal: AbortSignal): AsyncGenerator<string>;
  /** Lets this browser go to the page of the queues, for some minutes. */
  openQueues(): Promise<CallResult<OperationValue<'open-queue-session'>>>;
  /** Add to this machine's time to have the vault's, ms. */
  readonly clockOffsetMs: number;
  /** When the token ends, ms. */
  readonly endsAt: number;
}

/** Somebody the provider knows and the vault does not know yet. */
export interface Newcomer {
  readonly token: string;
}

/** A session; a newcomer, where the vault knows nobody by this token. Rejects where it does not answer. */
export async function openSession(facts: SignInFacts, token: string): Promise<Session | Newcomer> {
  const clockOffsetMs = await measureClock();
  const asking = callsOf(token, facts, [], clockOffsetMs);
  const who = await asking.call('whoami');
  if (!who.ok && who.error.status === 401) return { token };
  const person = valueOf(who);
  const { exclude_credentials: passkeys } = valueOf(await asking.call('get-passkey-options'));
  return {
    person,
    calls: callsOf(token, facts, passkeys, clockOffsetMs),
    follow: (target, event, signal) => readEvents({ target, token, signal }, event),
    openQueues: () =>
      callsOf(token, facts, [], clockOffsetMs, cookieTransport).call('open-queue-session'),
    clockOffsetMs,
    endsAt: endOf(token),
  };
}

/**
 * The first passkey of a person: made here, and named to the vault in a request that it signs itself. A gateway is told
 * the code, to ask for whom the passkey is; the request has a proof of it alone. Rejects with PasskeyError, or with an
 * Error that says what the vault said.
 */
export async function enrol(facts: SignInFacts, { token }: Newcomer, code: string): Promise<void> {
  const clockOffsetMs = await measureClock();
  const asking = callsOf(token, facts, [], clockOffsetMs);
  const body = { enrollment_code: code };
  const options = valueOf(await asking.call('get-passkey-options', { body }));
  const made = await makePasskey(options);
  const enrolledKey = { credentialId: made.credential_id, publicKey: made.public_key };
  const enrollment = { user_id: options.user.id, proof: enrollmentProof(code, enrolledKey) };
  const calls = callsOf(token, facts, [made.credential_id], clockOffsetMs);
  valueOf(await calls.call('register-passkey', { body: { ...made, enrollment } }));
}

/** A further passkey of a person, signed for with one that they have. Rejects with PasskeyError. */
export async function addPasskey(
  calls: OperationCalls,
): Promise<CallResult<OperationValue<'register-passkey'>>> {
  const options = await calls.call('get-passkey-options');
  if (!options.ok) return options;
  return calls.call('register-passkey', { body: await makePasskey(options.value) });
}

function callsOf(
  token: string,
  { relying_party: relyingParty }: SignInFacts,
  passkeys: readonly string[],
  clockOffsetMs: number,
  transport = browserTransport,
): OperationCalls {
  const assert = passkeySigner(relyingParty?.id ?? location.hostname, passkeys);
  return createVaultCalls({ token, assert }, transport, clockOffsetMs);
}

/** A signed request counts for minutes alone: it must say the vault's time. */
async function measureClock(): Promise<number> {
  const { server_time_ms: theirs } = valueOf(await openCalls.call('get-info'));
  return theirs - Date.now();
}

/** `exp` of a JSON Web Token; the vault checks the token, and this page only shows how long it lasts. */
export function endOf(token: string): number {
  const claims = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'),
  ) as { exp?: number };
  return (claims.exp ?? 0) * 1_000;
}
