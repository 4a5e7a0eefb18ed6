/** Where the API key of a machine may be used: ranges of addresses, one on a line. */
import { useState } from 'react';
import { Field, Panel, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { useChange } from '../../vault/vault-queries.js';
import { rangesIn } from './address-ranges.js';

interface Machine {
  readonly id: string;
  readonly display_name: string;
  readonly allowed_addresses?: readonly string[] | undefined;
}

export function AddressesPanel({ user }: { readonly user: Machine }) {
  const { allowed_addresses: ranges = [] } = user;
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? ranges.join('\n');
  const wanted = rangesIn(shown);
  const save = useChange(async (calls) => {
    const answer = await calls.call('update-user', {
      params: { user_id: user.id },
      body: { allowed_addresses: wanted.length === 0 ? null : wanted },
    });
    if (answer.ok) setTyped(undefined);
    return answer;
  });
  const name = visibleText(user.display_name);
  return (
    <Panel title="Where its API key may be used">
      <Field label="Ranges of addresses, one on a line; none: from anywhere">
        <textarea
          rows={Math.max(3, ranges.length + 1)}
          placeholder="203.0.113.0/24"
          value={shown}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
      <Quiet>
        Each gateway compares the caller&apos;s address with them. The parties do not: they see no
        address.
      </Quiet>
      {typed !== undefined && (
        <ConfirmedChange
          label={
            wanted.length === 0
              ? `Let ${name} come from anywhere`
              : `Let ${name} come from ${wanted.join(', ')} alone`
          }
          change={save}
        />
      )}
    </Panel>
  );
}
