/**
 * Keeps a current HPKE key of this party in the ledger, and lets old ones go. A private key is deleted an hour after
 * its public one expires. Shares that were sealed to it lie in the ledger for good, and must not open once a key is
 * destroyed or a party's disk is stolen.
 */
import { randomUUID } from 'node:crypto';
import { recipientMessage } from '@countersign/core/import-recipient.js';
import { encodeRecipient } from '@countersign/vault/ledger/write-entry.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { ImportRecipient, VaultState } from '@countersign/vault/state/state.js';
import type { KeyLock } from '../party/key-lock.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import type { RecipientStore } from './recipient-store.js';

const HOUR_MS = 3_600_000;
const LIFETIME_MS = 24 * HOUR_MS;
/** A client that fetches recipients has at least this long to use them. */
const RENEW_BEFORE_MS = 12 * HOUR_MS;
const KEPT_AFTER_EXPIRY_MS = HOUR_MS;
const CHECK_MS = 60_000;
/** It looks sooner while there is none at all. */
const FIRST_CHECK_MS = 1_000;

export interface ImportKeyRotationDeps {
  readonly party: PartyNumber;
  readonly follower: LedgerFollower;
  readonly ledger: LedgerStore;
  readonly threads: Pick<ThreadPools, 'makeRecipient' | 'signIdentity'>;
  readonly recipients: RecipientStore;
  readonly lock: KeyLock;
  readonly logger: Logger;
  readonly now: () => number;
}

export function openImportKeyRotation(deps: ImportKeyRotationDeps): { stop(): void } {
  const { party, follower, logger, now } = deps;
  let timer: NodeJS.Timeout;

  async function check(): Promise<void> {
    await deps.recipients.deleteExpiredBefore(now() - KEPT_AFTER_EXPIRY_MS);
    if (await isUsable()) return;
    const lockName = `import recipient ${party}`;
    if (!(await deps.lock.acquire(lockName))) return; // another replica is at it
    try {
      await follower.catchUp();
      if (!(await isUsable())) await renew();
    } finally {
      await deps.lock.release(lockName);
    }
  }

  // a key that waits to be countersigned counts: another would only wait behind it
  const isFresh = () => hasFreshRecipient(follower.view.optimistic, party, now());

  /** A public key is of no use once its private one is gone: what is sealed to it cannot be opened. */
  async function isUsable(): Promise<boolean> {
    const newest = newestRecipient(follower.view.optimistic, party);
    return isFresh() && (await deps.recipients.find(newest!.id)) !== undefined;
  }

  /** The private key is stored before the public one is told. */
  async function renew(): Promise<void> {
    const expiresAt = now() + LIFETIME_MS;
    const recipient = await deps.threads.makeRecipient(randomUUID());
    await deps.recipients.insert(recipient, expiresAt);
    const { recipientId, publicKey } = recipient;
    const fact = { party, recipientId, publicKey, expiresAt };
    const message = recipientMessage(fact, follower.view.state.genesisHash);
    const [signature] = await deps.threads.signIdentity([message]);
    await deps.ledger.append([encodeRecipient(now(), { ...fact, signature: signature! })]);
    await follower.catchUp();
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      check()
        .catch((error: unknown) =>
          logger.warn(
            { event: 'recipient_failed', reason: String(error) },
            'no new import key was made',
          ),
        )
        .finally(() => schedule(isFresh() ? CHECK_MS : FIRST_CHECK_MS));
    }, delayMs);
    timer.unref();
  }

  schedule(0);
  return { stop: () => clearTimeout(timer) };
}

/** Whether the party's newest recipient can be used for long enough. `now`: ms. */
function hasFreshRecipient(state: VaultState, party: PartyNumber, now: number): boolean {
  const newest = newestRecipient(state, party);
  return newest !== undefined && newest.expiresAt - now > RENEW_BEFORE_MS;
}

function newestRecipient(
  { importRecipients }: VaultState,
  party: PartyNumber,
): ImportRecipient | undefined {
  return importRecipients.findLast((row) => row.party === party);
}
