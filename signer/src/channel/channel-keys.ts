/**
 * What two parties have in common and nobody else: secrets derived from their exchange keys (X25519,
 * static) with HKDF-SHA256 (RFC 5869), bound to the vault by its genesis hash.
 */
import { diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';
import { ByteWriter } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';

export interface ExchangeKeys {
  readonly privateKey: KeyObject;
  /** Exchange public keys of all parties, from the genesis. */
  readonly publicKeys: ReadonlyMap<PartyNumber, KeyObject>;
  readonly genesisHash: string;
}

const SECRET_BYTES = 32;
/** RFC 5869, section 2.2: as many zero bytes as the hash has, when there is no salt. */
const NO_SALT = Buffer.alloc(32);

/**
 * 32 bytes: the key of messages from one process to another. `peer`: the party of the two that is not
 * our own. Throws when the genesis does not name it.
 */
export function deriveMessageKey(
  keys: ExchangeKeys,
  peer: PartyNumber,
  { from, to }: { readonly from: Replica; readonly to: Replica },
): Buffer {
  const info = new ByteWriter()
    .field('countersign party channel v1')
    .field(keys.genesisHash)
    .field(replicaId(from))
    .field(replicaId(to));
  return deriveSecret(keys, peer, info);
}

/** 32 bytes, the same at both parties, for one purpose. The caller wipes them. */
export function derivePairSecret(
  keys: ExchangeKeys,
  { self, peer }: { readonly self: PartyNumber; readonly peer: PartyNumber },
  purpose: string,
): Buffer {
  const [low, high] = peer < self ? [peer, self] : [self, peer];
  const info = new ByteWriter()
    .field('countersign pair secret v1')
    .field(keys.genesisHash)
    .u8(low)
    .u8(high)
    .field(purpose);
  return deriveSecret(keys, peer, info);
}

function deriveSecret(
  { privateKey, publicKeys }: ExchangeKeys,
  peer: PartyNumber,
  info: ByteWriter,
): Buffer {
  const publicKey = publicKeys.get(peer);
  if (publicKey === undefined) throw new Error(`no exchange key of party ${peer}`);
  const secret = diffieHellman({ privateKey, publicKey });
  const key = Buffer.from(hkdfSync('sha256', secret, NO_SALT, info.bytes(), SECRET_BYTES));
  secret.fill(0);
  return key;
}
