/** What a freeze is of, by its name. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { KeyName, UserName, VaultName } from '../../vault/names.js';

export type FreezeInForce = OperationValue<'list-freezes'>['results'][number];

export function FrozenThing({ freeze: { scope, id } }: { readonly freeze: FreezeInForce }) {
  if (scope === 'system') return <>The whole system</>;
  if (scope === 'venue') return <>Venue {id}</>;
  return (
    <>
      {scope} {scope === 'vault' && <VaultName id={id} />}
      {scope === 'key' && <KeyName id={id} />}
      {scope === 'user' && <UserName id={id} />}
      {scope === 'wallet' && <code>{id}</code>}
    </>
  );
}
