/** What can be frozen, how the vault is asked for it, and what that would stop. */
import type { CallResult } from '@countersign/client/call-result.js';
import type { OperationCalls, OperationValue } from '@countersign/client/operation-calls.js';

/** The narrow ones first: whoever is in a hurry takes the first that fits. */
export type Scope = 'user' | 'key' | 'wallet' | 'venue' | 'vault' | 'system';

/** What a freeze names. */
export interface FreezeTarget {
  readonly scope: Scope;
  /** As in `GET /v1/freezes`; of a wallet its address. */
  readonly id: string;
  /** Of a wallet. */
  readonly vaultId?: string;
}

export type FreezeInForce = OperationValue<'list-freezes'>['results'][number];
type FreezeAnswer = CallResult<OperationValue<'freeze-system'>>;
type Act = 'freeze' | 'unfreeze';

/** `reason`: for people; empty for none. */
export function askFreeze(
  calls: OperationCalls,
  act: Act,
  { scope, id, vaultId = '' }: FreezeTarget,
  reason: string,
): Promise<FreezeAnswer> {
  const body = reason === '' ? {} : { reason };
  switch (scope) {
    case 'system':
      return calls.call(`${act}-system`, { body });
    case 'vault':
      return calls.call(`${act}-vaults`, { query: { vault_ids: id }, body });
    case 'wallet':
      return calls.call(`${act}-wallets`, {
        params: { vault_id: vaultId },
        query: { addresses: id },
        body,
      });
    case 'venue':
      return calls.call(`${act}-keys`, { query: { venue_id: id }, body });
    case 'key':
      return calls.call(`${act}-keys`, { query: { key_ids: id }, body });
    case 'user':
      return calls.call(`${act}-users`, { query: { user_ids: id }, body });
  }
}

/** How a freeze in force is named where it is lifted. */
export function targetOf({ scope, id, wallet }: FreezeInForce): FreezeTarget {
  return wallet === undefined
    ? { scope, id }
    : { scope, id: wallet.address, vaultId: wallet.vault_id };
}

/** The vaults that lifting it touches; none: it is confined to none. */
export function vaultsTouched({ scope, id, wallet }: FreezeInForce): readonly string[] {
  if (scope === 'vault') return [id];
  return wallet === undefined ? [] : [wallet.vault_id];
}

/** What stops from the answer on, in words. */
export const STOPS: Readonly<Record<Scope, string>> = {
  system:
    'All signing with every key and wallet, and every change but freezing and unfreezing. Requests in flight are not signed.',
  vault: 'Signing with every wallet of this vault, and new wallets in it.',
  wallet: 'Signing with this wallet. Others of its vault go on.',
  venue:
    'Signing for this venue with every key, those made later included: orders that are open there stay open, and cannot be cancelled through the vault.',
  key: 'Signing with this key.',
  user: 'Every request of this user: their credentials are not recognised.',
};

const HELD_SIGNATURES =
  'A signature that waits for approvals goes on waiting until its time is over, and the approval that would complete it is refused. Once this is lifted it can be approved: reject what nobody should sign any more.';

/** What becomes of requests that wait for approvals, in words. */
export const WAITING: Readonly<Record<Scope, string>> = {
  system:
    'Every request that waits goes on waiting until its time is over, and takes no effect. Once this is lifted it can be approved: reject what nobody should do any more.',
  vault: HELD_SIGNATURES,
  wallet: HELD_SIGNATURES,
  venue: HELD_SIGNATURES,
  key: HELD_SIGNATURES,
  user: 'What they asked for goes on waiting until its time is over, and takes no effect; approvals that they gave do not count. Both count again once this is lifted: reject what nobody should do any more.',
};
