/** Whom a freeze would stop, as the vault knows it now. */
import { Fact, Name } from '../../design/pieces.js';
import { useRows } from '../../vault/vault-queries.js';
import type { ChosenTarget } from './target-choice.js';

const SHOWN = 8;
const MOST = { limit: '100' };

interface Named {
  readonly display_name: string;
}

/** Shows nothing for scopes that name one thing. */
export function FreezeEffects({ target: { scope, id } }: { readonly target: ChosenTarget }) {
  if (scope === 'system') return <SystemEffects />;
  if (scope === 'vault') return <VaultEffects vaultId={id} />;
  if (scope === 'venue') return <VenueEffects venueId={id} />;
  return null;
}

function SystemEffects() {
  const keys = useRows('list-keys', { query: MOST });
  const vaults = useRows('list-vaults', { query: MOST });
  return (
    <>
      <Fact name="Keys hit">
        <Names rows={keys.rows} hasMore={keys.query.hasNextPage} />
      </Fact>
      <Fact name="Vaults hit">
        <Names rows={vaults.rows} hasMore={vaults.query.hasNextPage} />
      </Fact>
    </>
  );
}

function VaultEffects({ vaultId }: { readonly vaultId: string }) {
  const { rows, query } = useRows('list-wallets', { params: { vault_id: vaultId }, query: MOST });
  return (
    <Fact name="Wallets hit">
      <Names
        rows={rows.map(({ display_name: name, address }) => ({ display_name: name ?? address }))}
        hasMore={query.hasNextPage}
      />
    </Fact>
  );
}

function VenueEffects({ venueId }: { readonly venueId: string }) {
  const { rows, query } = useRows('list-keys', { query: { ...MOST, venue_ids: venueId } });
  return (
    <Fact name="Keys hit">
      <Names rows={rows} hasMore={query.hasNextPage} />
    </Fact>
  );
}

function Names({ rows, hasMore }: { readonly rows: readonly Named[]; readonly hasMore: boolean }) {
  if (rows.length === 0) return <>none that exists now</>;
  const shown = rows.slice(0, SHOWN).map(({ display_name: name }) => name);
  const rest = rows.length - shown.length;
  return (
    <>
      {rows.length}
      {hasMore ? ' and more' : ''}: <Name text={shown.join(', ')} />
      {rest > 0 && ', …'}
    </>
  );
}
