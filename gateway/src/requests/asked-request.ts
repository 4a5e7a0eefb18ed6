/** What this gateway itself knows of a request for a signature. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { parseBase64 } from '@countersign/core/bytes.js';
import { NETWORK_FAMILIES } from '@countersign/core/vocabulary.js';
import { findVenue } from '@countersign/venues/venue-catalogue.js';
import { parseInput, type Input } from '@countersign/vault/operations/operation-input.js';
import type {
  ReadySigning,
  SignedTarget,
  SigningOperation,
} from '@countersign/vault/operations/signing-operation.js';
import { askedSigning } from '@countersign/vault/operations/asked-signing.js';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import type { StageClock } from '@countersign/runtime/tracing/stage-clock.js';
import type { Key, VaultState, Wallet } from '@countersign/vault/state/state.js';

/** RSA signatures take many times as long as all others: with two lanes neither kind waits behind the other. */
export const LANES = ['quick', 'rsa'] as const;
export type Lane = (typeof LANES)[number];

export interface AskedRequest {
  readonly requestId: string;
  readonly operation: SigningOperation;
  readonly input: Input<unknown, unknown>;
  /** The key, if its venue wants a rising number with each of its requests. */
  readonly risingKeyId: string | undefined;
  /** The bucket that it counts against if its first rule has a limit (SHA-256, hex). */
  readonly limitBucket: string | undefined;
  readonly lane: Lane;
  /** What is noted of its time, if somebody waits here. */
  readonly stages?: StageClock;
  /** The key and wallet that it was to sign with, if that is the key; undefined for another key. */
  findTarget(keyId: string): SignedTarget | undefined;
}

/** A request that this gateway has just found to be allowed. */
export function askedNow(
  requestId: string,
  ready: ReadySigning,
  state: () => VaultState,
  stages: StageClock,
): AskedRequest {
  const { operation, input, key, wallet } = ready;
  return {
    requestId,
    stages,
    operation,
    input,
    risingKeyId: ready.nonceUnit === undefined ? undefined : key.id,
    limitBucket: ready.claim?.bucket,
    lane: laneOf(key),
    findTarget() {
      const newest = state().keys.rows.get(key.id) ?? key;
      return newest === key ? ready : { key: newest, wallet };
    },
  };
}

/** A probe, which nobody may have signed: a signature of it would be under no key that was asked for. */
export function askedProbe(evidence: Evidence): AskedRequest {
  return {
    requestId: requestIdOf(digestOf(evidence)),
    operation: SIGNING_OPERATIONS[0]!,
    input: { params: {}, query: {}, body: {} },
    risingKeyId: undefined,
    limitBucket: undefined,
    lane: 'quick',
    findTarget: () => undefined,
  };
}

/**
 * A request of some time ago, from its evidence alone; a refusal when that is no request for a signature. `index`: of
 * an item of a batch.
 */
export function askedBefore(
  evidence: Evidence,
  state: () => VaultState,
  index?: number,
): AskedRequest | Refusal | undefined {
  const { requestId, matched } = askedSigning(evidence, index);
  if (matched === undefined) return undefined;
  const { operation, params } = matched;
  const { query, body } = evidence;
  const input = matched.input ?? parseInput(operation, { params, query, body });
  if (isRefusal(input)) return input;
  return {
    requestId,
    operation,
    input,
    risingKeyId: findRisingKey(state(), operation, params),
    // its rule is not known without its caller; some pair has it on record already
    limitBucket: undefined,
    lane: laneOf(state().keys.rows.get(params['key_id'] ?? '')),
    findTarget: (keyId) => findSigned(state(), keyId, params),
  };
}

/** A wallet's key, which no path names, is never RSA. */
export function laneOf(key: Pick<Key, 'type'> | undefined): Lane {
  return key?.type === 'rsa' ? 'rsa' : 'quick';
}

type Params = Readonly<Record<string, string>>;

function findRisingKey(
  state: VaultState,
  { name }: SigningOperation,
  params: Params,
): string | undefined {
  const key = name === 'sign' ? state.keys.rows.get(params['key_id'] ?? '') : undefined;
  return findVenue(key?.venueId ?? '')?.nonce === undefined ? undefined : key?.id;
}

function findSigned(state: VaultState, keyId: string, params: Params): SignedTarget | undefined {
  const key = state.keys.rows.get(keyId);
  if (key === undefined) return undefined;
  if (key.walletId === null) {
    return params['key_id'] === keyId ? { key, wallet: undefined } : undefined;
  }
  const wallet = state.wallets.rows.get(key.walletId) ?? removedWallet(key, key.walletId, params);
  const isAsked = wallet?.address === params['address'] && wallet?.vaultId === params['vault_id'];
  return isAsked ? { key, wallet } : undefined;
}

/** The key and address of a removed wallet outlive it, so its signatures can still be read. */
function removedWallet(key: Key, walletId: string, params: Params): Wallet | undefined {
  const address = params['address'] ?? '';
  const publicKey = parseBase64(key.publicKey) ?? Buffer.alloc(0);
  const networkFamily = NETWORK_FAMILIES.find((family) => addressOf(family, publicKey) === address);
  if (networkFamily === undefined) return undefined;
  return {
    id: walletId,
    vaultId: params['vault_id'] ?? '',
    networkFamily,
    networks: [],
    displayName: key.displayName,
    keyId: key.id,
    address,
    frozen: null,
    createdAt: key.createdAt,
    createdBy: key.createdBy,
    lastUpdatedAt: key.lastUpdatedAt,
    lastUpdatedBy: key.lastUpdatedBy,
  };
}
