import type { Catalogues } from '../catalogues/catalogues.js';
import type { VaultState } from '../state/state.js';

/** Ids of wallets and signing policies that name a testnet; a wallet that names no network has none. */
export function testnetReferences(
  { wallets, signingPolicies }: VaultState,
  { findNetwork }: Pick<Catalogues, 'findNetwork'>,
): string[] {
  // one that no catalogue knows blocks nothing: it cannot be signed for, whatever the setting is
  const isTestnet = (id: string) => findNetwork(id)?.is_testnet === true;
  const naming = [...wallets.rows.values()].filter((row) => row.networks?.some(isTestnet) === true);
  const policies = [...signingPolicies.rows.values()].filter((policy) =>
    policy.rules.some((rule) => rule.when.networks?.some(isTestnet) === true),
  );
  return [...naming, ...policies].map((row) => row.id);
}
