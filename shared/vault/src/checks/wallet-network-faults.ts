import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import type { VaultState } from '../state/state.js';

/** 422 for a network that is not of the family, or that cannot be used now. */
export function refuseNetworks(
  { settings }: VaultState,
  family: string,
  networks: readonly string[] | undefined,
  { familyOfNetwork, findNetwork }: Pick<Catalogues, 'familyOfNetwork' | 'findNetwork'>,
): Refusal | undefined {
  for (const id of networks ?? []) {
    if (familyOfNetwork(id) !== family) {
      return refuse('invalid_inputs', 'networks: names a network that is none of the family');
    }
    if (!settings.testnetsEnabled && findNetwork(id)?.is_testnet === true) {
      return refuse('invalid_inputs', 'networks: names a testnet while testnets are disabled');
    }
  }
  return undefined;
}
