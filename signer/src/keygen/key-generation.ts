/**
 * Generates the keys that the ledger asks for. No job starts it: a key that the fold shows as
 * `generating` is work to be done, so nobody can ask for a key that the ledger does not name, and no
 * crash can lose one. Party 1 calls the runs; a run that fails is followed by another.
 */
import { randomBytes } from 'node:crypto';
import { ceremonyHashOf, keyAttestationMessage } from '@countersign/shared/attestation.js';
import type { Replica } from '@countersign/shared/jobs/sign-batch.js';
import { encodeAttestation } from '@countersign/shared/ledger/entry.js';
import type { EntryOutcome } from '@countersign/shared/ledger/apply-entry.js';
import type { LedgerFollower } from '@countersign/shared/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/shared/ledger/ledger-store.js';
import type { Key } from '@countersign/shared/ledger/state.js';
import type { Logger } from '@countersign/shared/logger.js';
import { addressOf } from '@countersign/shared/networks/addresses.js';
import type { PartyMessage } from '../channel/messages.js';
import type { ShareStore } from '../records/share-store.js';
import type { GeneratedFrostKey } from '../threads/frost-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import {
  createCeremonyInbox,
  decodeReplicas,
  encodeReplicas,
  KEY_VERSION,
  runCeremony,
  type CeremonyInbox,
} from './ceremony.js';
import type { KeyLock } from './key-lock.js';

const CALLER = 1;
const MAX_RUNS = 4;
const MAX_SESSIONS = 64;
const CHECK_MS = 1_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
const SCHEME = 'frost-ed25519';

type DkgMessage = Extract<PartyMessage, { kind: 'dkg' }>;

export interface KeyGenerationDeps {
  readonly self: Replica;
  readonly follower: LedgerFollower;
  readonly ledger: LedgerStore;
  readonly threads: ThreadPools;
  readonly shares: ShareStore;
  readonly lock: KeyLock;
  readonly logger: Logger;
  readonly now: () => number;
  send(to: Replica, message: PartyMessage): Promise<void>;
  /** One live replica of each party, or undefined. */
  findReplicas(): Promise<Replica[] | undefined>;
}

export interface KeyGeneration {
  receive(from: Replica, message: DkgMessage): void;
  onOutcomes(outcomes: readonly EntryOutcome[]): void;
  stop(): void;
}

interface Pause {
  until: number;
  next: number;
}

export function openKeyGeneration(deps: KeyGenerationDeps): KeyGeneration {
  const { self, follower, logger, now } = deps;
  const inboxes = new Map<string, CeremonyInbox>();
  const running = new Set<string>();
  const pauses = new Map<string, Pause>();
  let isChecking = false;
  let isStopped = false;

  function inboxOf(session: string): CeremonyInbox {
    const known = inboxes.get(session);
    if (known !== undefined) return known;
    if (inboxes.size >= MAX_SESSIONS) inboxes.delete([...inboxes.keys()][0]!);
    const fresh = createCeremonyInbox(self.party);
    inboxes.set(session, fresh);
    return fresh;
  }

  /** One run, from this party's first package to its attestation in the ledger. */
  async function takePart(
    session: string,
    keyId: string,
    replicas: readonly Replica[],
  ): Promise<void> {
    const key = follower.state.keys.rows.get(keyId);
    if (key?.status !== 'generating') throw new Error('no such key is being generated');
    try {
      const inbox = inboxOf(session);
      const generated = await runCeremony(deps, inbox, { session, keyId, replicas });
      await keep(session, key, generated);
      await attest(session, key, generated);
    } finally {
      inboxes.delete(session);
    }
  }

  /** The share is stored before it is attested: an active key has three good shares. */
  async function keep(session: string, key: Key, generated: GeneratedFrostKey): Promise<void> {
    await deps.shares.insert({
      keyId: key.id,
      session,
      scheme: SCHEME,
      version: KEY_VERSION,
      kekId: deps.threads.kekId,
      wrappedDek: Buffer.from(generated.wrappedDek),
      sealed: Buffer.from(generated.sealed),
      publicPackage: Buffer.concat([
        generated.groupPublicKey,
        ...Object.values(generated.verifyingShares),
      ]),
      createdAt: now(),
    });
  }

  async function attest(session: string, key: Key, generated: GeneratedFrostKey): Promise<void> {
    const { state } = follower;
    const wallet = state.wallets.rows.get(key.walletId ?? '');
    const { groupPublicKey: publicKey, transcriptHash } = generated;
    const message = keyAttestationMessage({
      genesisHash: state.genesisHash,
      vaultId: wallet?.vaultId ?? '',
      keyId: key.id,
      keyType: key.type,
      publicKey,
      address: wallet === undefined ? '' : addressOf(wallet.networkFamily, publicKey),
      ceremonyHash: ceremonyHashOf(session, transcriptHash),
    });
    const [signature] = await deps.threads.signIdentity([message]);
    const fact = { party: self.party, keyId: key.id, session, publicKey, transcriptHash };
    await deps.ledger.append([encodeAttestation(now(), { ...fact, signature: signature! })]);
    void follower.catchUp().catch(() => undefined);
  }

  async function call(keyId: string): Promise<void> {
    if (!(await deps.lock.acquire(keyId))) return; // another replica of party 1 is at it
    try {
      const replicas = await deps.findReplicas();
      if (replicas === undefined) return; // all three parties are needed: wait for them
      const session = randomBytes(16).toString('hex');
      const start: PartyMessage = {
        kind: 'dkg',
        round: 'start',
        session,
        keyId,
        payload: encodeReplicas(replicas),
      };
      const others = replicas.filter((replica) => replica.party !== self.party);
      await Promise.all(others.map((replica) => deps.send(replica, start)));
      await takePart(session, keyId, replicas);
      // the others attest at their own pace: give them a moment before another run is called
      await follower.waitUntil((state) => !state.keyIdsGenerating.has(keyId), 5_000);
    } finally {
      await deps.lock.release(keyId);
    }
  }

  function check(): void {
    if (self.party !== CALLER || isChecking || isStopped) return;
    isChecking = true;
    for (const keyId of follower.state.keyIdsGenerating) {
      if (running.size >= MAX_RUNS) break;
      if (running.has(keyId) || (pauses.get(keyId)?.until ?? 0) > now()) continue;
      running.add(keyId);
      void call(keyId)
        .catch((error: unknown) => logFailure(keyId, error))
        .finally(() => {
          running.delete(keyId);
          if (follower.state.keyIdsGenerating.has(keyId)) pause(keyId);
          else pauses.delete(keyId);
          check();
        });
    }
    isChecking = false;
  }

  function pause(keyId: string): void {
    const length = pauses.get(keyId)?.next ?? FIRST_PAUSE_MS;
    pauses.set(keyId, { until: now() + length, next: Math.min(length * 2, MAX_PAUSE_MS) });
  }

  function logFailure(keyId: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ event: 'key_generation_failed', key_id: keyId, reason }, 'key generation failed');
  }

  /** A run called by party 1: the ledger says whether the key is really asked for. */
  async function join(message: DkgMessage): Promise<void> {
    const { session, keyId } = message;
    const isWanted = await follower.waitUntil((state) => state.keyIdsGenerating.has(keyId), 2_000);
    if (!isWanted) throw new Error('a run for a key that the ledger does not ask for');
    await takePart(session, keyId, decodeReplicas(message.payload));
  }

  const timer = setInterval(check, CHECK_MS);
  check();

  return {
    receive(from, message) {
      if (message.round !== 'start') {
        inboxOf(message.session).put(message.round, from.party, message.payload);
      } else if (from.party === CALLER && self.party !== CALLER) {
        join(message).catch((error: unknown) => logFailure(message.keyId, error));
      }
    },
    onOutcomes(outcomes) {
      for (const outcome of outcomes) {
        for (const keyId of outcome.subject?.keyIds ?? []) {
          const key = follower.state.keys.rows.get(keyId);
          if (outcome.kind !== 'attestation' || key?.status !== 'active') continue;
          deps.shares
            .deleteOtherSessions(keyId, key.session)
            .catch((error: unknown) => logFailure(keyId, error));
        }
      }
      check();
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
