/** The lasting exchange keys (X25519) of two parties serve to say who speaks. No message rests on them alone. */
import { hkdfSync } from 'node:crypto';
import { ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import {
  commonVersion,
  spokenVersions,
  type SpokenVersions,
} from '@countersign/runtime/jobs/protocol.js';
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { X25519Key } from './x25519.js';

export interface ExchangeKeys {
  /** This party's own. */
  readonly own: X25519Key;
  /** Of all parties, 32 bytes each, as the ledger names them now. */
  readonly publicKeys: ReadonlyMap<PartyNumber, Bytes>;
  /** Hex. */
  readonly genesisHash: string;
  /** The versions of the protocol that this process speaks. */
  readonly spoken: SpokenVersions;
}

/** RFC 5869, section 2.2: as many zero bytes as the hash has, when there is no salt. */
const NO_SALT = Buffer.alloc(32);
const FRAME_KEY_BYTES = 32;

export function exchangePublicKeys({
  parties,
}: Pick<VaultState, 'parties'>): ReadonlyMap<PartyNumber, Bytes> {
  return new Map(
    parties.map((row) => [row.party, Buffer.from(row.exchangePublicKey, 'base64')] as const),
  );
}

/** Throws when the genesis does not name the party. */
export function publicKeyOf({ publicKeys }: ExchangeKeys, party: PartyNumber): Bytes {
  const publicKey = publicKeys.get(party);
  if (publicKey === undefined) throw new Error(`no exchange key of party ${party}`);
  return publicKey;
}

/**
 * Derives the key of the code on handshake frames: 32 bytes, the same at both parties. It hides nothing. With it a
 * receiver drops forged handshakes for the price of a hash, before it computes on a curve for them or remembers
 * anything.
 */
export function deriveFrameKey(keys: ExchangeKeys, self: PartyNumber, peer: PartyNumber): Buffer {
  const secret = keys.own.exchange(publicKeyOf(keys, peer));
  const info = new ByteWriter()
    .field('countersign party handshake v1')
    .field(keys.genesisHash)
    .u8(Math.min(self, peer))
    .u8(Math.max(self, peer))
    .bytes();
  const key = Buffer.from(hkdfSync('sha256', secret, NO_SALT, info, FRAME_KEY_BYTES));
  secret.fill(0);
  return key;
}

/** Names an agreement between two processes of a vault: the `number`-th question of `from`. */
export interface AgreementName {
  readonly from: Replica;
  readonly to: Replica;
  readonly number: number;
}

/** The values that both ends of a handshake must share; the replicas' ids include their boot ids. */
export function prologueOf(genesisHash: string, { from, to, number }: AgreementName): Buffer {
  return new ByteWriter()
    .field('countersign party channel v2')
    .field(genesisHash)
    .field(replicaId(from))
    .field(replicaId(to))
    .u64(number)
    .bytes();
}

/** What each end of a handshake offers the other, as its payload: oldest u8 ‖ newest u8. */
export const OFFER_BYTES = 2;

export function offerOf({ oldest, newest }: SpokenVersions): Buffer {
  return Buffer.from([oldest, newest]);
}

/** How the two ends speak. `version`: the newest that both know; undefined if there is none. */
export interface Settled {
  readonly theirs: SpokenVersions;
  readonly version: number | undefined;
}

/** Throws RangeError for what no process offers. */
export function settleVersion(own: SpokenVersions, offer: Buffer): Settled {
  const theirs = spokenVersions(offer[0] ?? 0, offer[1] ?? 0);
  if (theirs === undefined || offer.length !== OFFER_BYTES) throw new RangeError('no versions');
  return { theirs, version: commonVersion(own, theirs) };
}
