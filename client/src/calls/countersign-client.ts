/** The client of a vault, for machine users and for people. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import type { CallerCredential } from '../signing/sign-request.js';
import { openTransport, type TransportOptions } from '../transport/http-transport.js';
import { createOperationCalls, type CallSettings, type OperationCalls } from './operation-calls.js';
import { createRawClient, type RawClient } from './raw-client.js';
import { createServiceClock } from './service-clock.js';

export type { OperationInput } from './operation-request.js';
export type { OperationValue } from './operation-calls.js';

/** `baseUrl`: scheme, host and port; plain http only on this machine. */
export type CountersignClientOptions = TransportOptions & CallSettings & CallerCredential;

/** Close it in the end: its connections are kept open. */
export type CountersignClient = RawClient & OperationCalls;

/**
 * Throws RangeError when `baseUrl` is none that may be used or `apiKey` is no UUID, and TypeError when
 * `privateKey` is no Ed25519 private key.
 */
export function createCountersignClient(options: CountersignClientOptions): CountersignClient {
  assertCredential(options);
  const serviceClock = createServiceClock(Date.now);
  const raw = createRawClient(openTransport(options), options, serviceClock.now);
  const clock = {
    elapsedMs: () => performance.now(),
    sleep: (ms: number) => sleep(ms),
    correct: serviceClock.correct,
  };
  return { ...raw, ...createOperationCalls(raw, options, clock) };
}

function assertCredential(credential: CallerCredential): void {
  if ('token' in credential) return;
  if (!UUID_PATTERN.test(credential.apiKey)) throw new RangeError('an API key is a UUID');
  if (!('privateKey' in credential)) return;
  const { type, asymmetricKeyType } = credential.privateKey;
  if (type !== 'private' || asymmetricKeyType !== 'ed25519') {
    throw new TypeError('a machine user signs with an Ed25519 private key');
  }
}
