/** A party says of a key in the ledger, with its identity key, that it holds its share or never will. */
import {
  ceremonyHashOf,
  keyAttestationMessage,
  keyRefusalMessage,
} from '@countersign/core/attestation.js';
import { encodeAttestation, encodeKeyRefusal } from '@countersign/vault/ledger/write-entry.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { addressOf } from '@countersign/chains/addresses.js';
import type { ShareStore } from '../records/share-store.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { KEY_VERSION } from '../threads/sealed-share.js';

export interface KeyAttester {
  keep(session: string, key: Key, share: CompletedShare): Promise<void>;
  attest(session: string, key: Key, share: CompletedShare): Promise<void>;
  /** `reason`: public text. */
  refuse(key: Key, reason: string): Promise<void>;
}

export interface KeyAttesterDeps {
  readonly party: PartyNumber;
  readonly follower: LedgerFollower;
  readonly ledger: LedgerStore;
  readonly threads: Pick<ThreadPools, 'kekId' | 'signIdentity'>;
  readonly shares: ShareStore;
  readonly now: () => number;
}

export function createKeyAttester(deps: KeyAttesterDeps): KeyAttester {
  const { party, follower, threads, now } = deps;

  async function append(message: Buffer, encode: (signature: Uint8Array) => Buffer) {
    const [signature] = await threads.signIdentity([message]);
    await deps.ledger.append([encode(signature!)]);
    void follower.catchUp().catch(() => undefined);
  }

  return {
    async keep(session, key, { scheme, wrappedDek, sealed }) {
      await deps.shares.insert({
        keyId: key.id,
        session,
        scheme,
        version: KEY_VERSION,
        kekId: threads.kekId,
        wrappedDek: Buffer.from(wrappedDek),
        sealed: Buffer.from(sealed),
        createdAt: now(),
      });
    },
    attest(session, key, { publicKey, transcriptHash }) {
      const { state } = follower;
      const wallet = state.wallets.rows.get(key.walletId ?? '');
      const message = keyAttestationMessage(
        {
          vaultId: wallet?.vaultId ?? '',
          keyId: key.id,
          keyType: key.type,
          publicKey,
          address: wallet === undefined ? '' : addressOf(wallet.networkFamily, publicKey),
          ceremonyHash: ceremonyHashOf(session, transcriptHash),
        },
        state.genesisHash,
      );
      const fact = { party, keyId: key.id, session, publicKey, transcriptHash };
      return append(message, (signature) => encodeAttestation(now(), { ...fact, signature }));
    },
    refuse(key, reason) {
      const { genesisHash } = follower.state;
      const message = keyRefusalMessage({ keyId: key.id, reason }, genesisHash);
      const fact = { party, keyId: key.id, reason };
      return append(message, (signature) => encodeKeyRefusal(now(), { ...fact, signature }));
    },
  };
}
