/** Many keys or wallets by one entry: all of them or none. Their ids follow from the entry and their place in it. */
import { bulkGenerateKeysRequest } from '@countersign/api/requests/keys.js';
import { bulkCreateWalletsRequest } from '@countersign/api/requests/vaults.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { VaultState } from '../state/state.js';
import { generatedKey } from './generate-key.js';
import { applyNewKey } from './key-effects.js';
import { ledgerOperation, type ApplyContext } from './ledger-operation.js';
import { applyNewWallet } from './new-wallet.js';

export const bulkGenerateKeys = ledgerOperation({
  ...bulkGenerateKeysRequest,
  apply(state, { body }, context) {
    const keys = body.keys.map((key, index) => generatedKey(key, placed(context, index)));
    const keyIds = keys.map(({ id }) => id);
    return {
      state: keys.reduce<VaultState>((made, key) => applyNewKey(made, key).state, state),
      subject: { resourceType: 'key', resourceIds: keyIds, keyIds },
    };
  },
});

/** 403 in a frozen vault. */
export const bulkCreateWallets = ledgerOperation({
  ...bulkCreateWalletsRequest,
  vaultIds: (_state, { params }) => [params['vault_id'] ?? ''],
  apply(state, { params, body }, context) {
    let made = state;
    const walletIds: string[] = [];
    const keyIds: string[] = [];
    for (const [index, wallet] of body.wallets.entries()) {
      const applied = applyNewWallet(made, params['vault_id'], wallet, placed(context, index));
      if (isRefusal(applied)) return refusalAt('wallets', index, applied);
      made = applied.state;
      walletIds.push(...applied.subject.resourceIds);
      keyIds.push(...(applied.subject.keyIds ?? []));
    }
    const vaultIds = [params['vault_id'] ?? ''];
    return {
      state: made,
      subject: { resourceType: 'wallet', resourceIds: walletIds, vaultIds, keyIds },
    };
  },
});

/** The context for the item at this place of the request. */
function placed(context: ApplyContext, index: number): ApplyContext {
  return { ...context, newId: (name) => context.newId(`${name} ${index}`) };
}

/** Names the item in a refusal that is about the request's content. */
export function refusalAt(list: string, index: number, refusal: Refusal): Refusal {
  return refusal.refused === 'invalid_inputs'
    ? refuse('invalid_inputs', `${list}.${index}.${refusal.message}`)
    : refusal;
}
