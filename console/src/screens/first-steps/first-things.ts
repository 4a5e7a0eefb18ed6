/** The vault, wallet and policy that the first steps are about: the oldest of each that the viewer may look at. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { useRows } from '../../vault/vault-queries.js';

export type FirstVault = OperationValue<'list-vaults'>['results'][number];
export type FirstWallet = OperationValue<'list-wallets'>['results'][number];

export interface FirstThings {
  readonly vault: FirstVault | undefined;
  readonly wallet: FirstWallet | undefined;
  /** Whether a group joins the wallet to a signing policy. */
  readonly hasPolicy: boolean;
}

export function useFirstThings(): FirstThings {
  const vaults = useRows('list-vaults', { query: { limit: '1' } });
  const vault = vaults.rows[0];
  const wallets = useRows(
    'list-wallets',
    { params: { vault_id: vault?.id ?? '' }, query: { limit: '1' } },
    { isWanted: vault !== undefined },
  );
  const wallet = wallets.rows[0];
  const groups = useRows('list-security-groups', { query: { limit: '100' } });
  const hasPolicy = groups.rows.some(
    ({ members, signing_policy_ids: policies }) =>
      policies.length > 0 && members.some(({ member_id: id }) => id === wallet?.id),
  );
  return { vault, wallet, hasPolicy };
}
