import type * as s from '@countersign/core/shapes.js';
import type { attestation } from '@countersign/api/vault-schema.js';
import type { Attestation } from '../state/state.js';

export function attestationViews(rows: readonly Attestation[]): s.InputOf<typeof attestation>[] {
  return rows.map(({ party, signature, ceremonyHash }) => ({
    party,
    signature,
    ceremony_hash: ceremonyHash,
  }));
}
