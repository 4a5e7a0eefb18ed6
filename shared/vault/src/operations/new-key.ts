import { NO_LABELS, NO_SEALED_PARTS, type Key } from '../state/state.js';
import { newStamps } from './lookups.js';
import type { ApplyContext } from './ledger-operation.js';

type NewKey = Pick<Key, 'displayName' | 'type' | 'scheme' | 'custody' | 'status'> &
  Partial<Pick<Key, 'description' | 'modulusBits' | 'encoding' | 'sealedParts' | 'walletId'>> & {
    readonly venueId?: string | undefined;
    readonly venueApiKey?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };

/**
 * A new key, complete once the parties have attested it. One literal lists every field: a vault holds many keys, and
 * V8 stores spread fields in a separate list for each.
 */
export function newKey(context: ApplyContext, fields: NewKey): Key {
  const stamps = newStamps(context);
  return {
    id: context.newId('key'),
    description: fields.description ?? null,
    modulusBits: fields.modulusBits ?? null,
    encoding: fields.encoding ?? null,
    sealedParts: fields.sealedParts ?? NO_SEALED_PARTS,
    walletId: fields.walletId ?? null,
    displayName: fields.displayName,
    type: fields.type,
    scheme: fields.scheme,
    custody: fields.custody,
    status: fields.status,
    venueId: fields.venueId ?? null,
    venueApiKey: fields.venueApiKey ?? null,
    labels: fields.labels ?? NO_LABELS,
    failure: null,
    frozen: null,
    version: 1,
    publicKey: '',
    session: '',
    attestations: [],
    createdAt: stamps.createdAt,
    createdBy: stamps.createdBy,
    lastUpdatedAt: stamps.lastUpdatedAt,
    lastUpdatedBy: stamps.lastUpdatedBy,
  };
}
