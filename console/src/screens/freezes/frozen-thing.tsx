/** What a freeze is of, by its name. */
import { CopyableId } from '../../design/copyable-id.js';
import { KeyName, UserName, VaultName } from '../../vault/names.js';
import type { FreezeInForce } from './freeze-scopes.js';

export function FrozenThing({ freeze: { scope, id, wallet } }: { readonly freeze: FreezeInForce }) {
  if (scope === 'system') return <>The whole system</>;
  if (scope === 'venue') return <>Venue {id}</>;
  return (
    <>
      {scope} {scope === 'vault' && <VaultName id={id} />}
      {scope === 'key' && <KeyName id={id} />}
      {scope === 'user' && <UserName id={id} />}
      {scope === 'wallet' && <CopyableId text={wallet?.address ?? id} what="address" />}
      {wallet !== undefined && (
        <>
          {' '}
          in <VaultName id={wallet.vault_id} />
        </>
      )}
    </>
  );
}
