import type { Key } from '../state/state.js';
import { newStamps } from './lookups.js';
import type { ApplyContext } from './ledger-operation.js';

type NewKey = Pick<Key, 'displayName' | 'type' | 'scheme' | 'custody' | 'status'> &
  Partial<Pick<Key, 'description' | 'modulusBits' | 'encoding' | 'sealedParts' | 'walletId'>> & {
    readonly venueId?: string | undefined;
    readonly venueApiKey?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };

/** A key as it enters the ledger: complete once the parties have attested it. */
export function newKey(context: ApplyContext, fields: NewKey): Key {
  return {
    id: context.newId('key'),
    description: null,
    modulusBits: null,
    encoding: null,
    sealedParts: [],
    walletId: null,
    ...fields,
    venueId: fields.venueId ?? null,
    venueApiKey: fields.venueApiKey ?? null,
    labels: fields.labels ?? {},
    failure: null,
    frozen: null,
    version: 1,
    publicKey: '',
    session: '',
    attestations: [],
    ...newStamps(context),
  };
}
