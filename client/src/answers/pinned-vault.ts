import { parseBase64 } from '@countersign/core/bytes.js';
import { isEd25519PublicKey } from '@countersign/core/ed25519.js';
import { PARTY_NUMBERS, type PartyIdentity } from '@countersign/core/parties.js';
import { listField, ownField, textField } from './json-fields.js';

export type PinnedIdentity = Pick<PartyIdentity, 'party' | 'identityPublicKey'>;

/** It counts for heads of the ledger before the place `until` alone. */
export type FormerIdentity = PinnedIdentity & { readonly until: number };

/**
 * Which vault the caller means: brought along from `countersign genesis` on a party's machine, never
 * asked of the service, which could name itself three times as the three parties.
 */
export interface PinnedVault {
  /** Hex. */
  readonly genesisHash: string;
  /** All three, in order. */
  readonly identities: readonly PinnedIdentity[];
  /** Keys that parties had before they were replaced: what they signed then still counts. Absent for none. */
  readonly former?: readonly FormerIdentity[];
}

/** `value`: the JSON that `countersign genesis` prints. Undefined when it is something else. */
export function parsePinnedVault(value: unknown): PinnedVault | undefined {
  const genesisHash = textField(value, 'genesis_hash');
  if (genesisHash === undefined || !/^[0-9a-f]{64}$/.test(genesisHash)) return undefined;
  const rows = listField(value, 'parties') ?? [];
  const former = formerOf(listField(value, 'former') ?? []);
  const identities = PARTY_NUMBERS.flatMap((party) => {
    const own = rows.filter((row) => ownField(row, 'party') === party);
    const identityPublicKey = textField(own[0], 'identity_public_key');
    const isOne = own.length === 1 && identityPublicKey !== undefined;
    return isOne && isIdentityKey(identityPublicKey) ? [{ party, identityPublicKey }] : [];
  });
  const distinct = new Set(identities.map(({ identityPublicKey }) => identityPublicKey));
  const isWhole = rows.length === 3 && distinct.size === 3 && former !== undefined;
  return isWhole ? { genesisHash, identities, ...(former.length > 0 && { former }) } : undefined;
}

/** Undefined where one of them is no identity of a party. */
function formerOf(rows: readonly unknown[]): FormerIdentity[] | undefined {
  const former = rows.flatMap((row) => {
    const party = PARTY_NUMBERS.find((one) => one === ownField(row, 'party'));
    const identityPublicKey = textField(row, 'identity_public_key');
    const until = ownField(row, 'until_seq');
    const isOne = party !== undefined && identityPublicKey !== undefined;
    const isKnown = isOne && typeof until === 'number' && isIdentityKey(identityPublicKey);
    return isKnown ? [{ party, identityPublicKey, until }] : [];
  });
  return former.length === rows.length ? former : undefined;
}

function isIdentityKey(base64: string): boolean {
  const bytes = parseBase64(base64);
  return bytes !== undefined && isEd25519PublicKey(bytes);
}
