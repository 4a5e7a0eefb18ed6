/** The vault, wallet and policy that the first steps are about: the oldest of each that the viewer may look at. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { useSession } from '../../session/session-store.js';
import { useRows } from '../../vault/vault-queries.js';
import { mayRawSign } from './own-right.js';

export type FirstVault = OperationValue<'list-vaults'>['results'][number];
export type FirstWallet = OperationValue<'list-wallets'>['results'][number];

export interface FirstThings {
  readonly vault: FirstVault | undefined;
  readonly wallet: FirstWallet | undefined;
  /** Whether a group joins the wallet to a signing policy that lets the viewer sign raw messages. */
  readonly hasPolicy: boolean;
}

export function useFirstThings(): FirstThings {
  const { person } = useSession();
  const vaults = useRows('list-vaults', { query: { limit: '1' } });
  const vault = vaults.rows[0];
  const wallets = useRows(
    'list-wallets',
    { params: { vault_id: vault?.id ?? '' }, query: { limit: '1' } },
    { isWanted: vault !== undefined },
  );
  const wallet = wallets.rows[0];
  const query = { limit: '100' };
  const groups = useRows('list-security-groups', { query });
  const policies = useRows('list-signing-policies', { query });
  const own = groups.rows.filter(({ members }) =>
    members.some(({ member_id: id }) => id === wallet?.id),
  );
  const hasPolicy = policies.rows.some(
    ({ security_group_id: groupId, rules }) =>
      own.some(({ id }) => id === groupId) && mayRawSign(rules, person),
  );
  return { vault, wallet, hasPolicy };
}
