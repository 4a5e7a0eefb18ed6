/** What is frozen says by which freezes, its own and those of what it belongs to; a freeze is an update. */
import { describe, expect, it } from '@jest/globals';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { allFreezes } from '@countersign/vault/views/all-freezes.js';
import { keyView } from '@countersign/vault/views/key-view.js';
import { userFullView } from '@countersign/vault/views/user-view.js';
import { vaultView } from '@countersign/vault/views/vault-view.js';
import { walletView } from '@countersign/vault/views/wallet-view.js';
import { createLedgerBuilder, keyStory, type LedgerBuilder } from '../support/ledger-builder.ts';

interface Desk {
  readonly ledger: LedgerBuilder;
  readonly vaultId: string;
  readonly walletId: string;
  readonly walletKeyId: string;
  readonly address: string;
  /** At venue `binance`. */
  readonly keyId: string;
  readonly botId: string;
}

function openDesk(): Desk {
  const ledger = createLedgerBuilder();
  const must = (path: string, body: object) => ledger.must(ledger.admin, 'POST', path, body);
  const complete = (keyId: string) => {
    for (const party of [1, 2, 3] as const) ledger.attest(party, keyId, keyStory(keyId));
  };
  const vaultId = must('/v1/vaults', { display_name: 'Desk' });
  const walletId = must(`/v1/vaults/${vaultId}/wallets`, { network_family: 'solana' });
  const walletKeyId = ledger.state.wallets.rows.get(walletId)!.keyId;
  complete(walletKeyId);
  const keyId = must('/v1/keys', { type: 'ed25519', display_name: 'Key', venue_id: 'binance' });
  complete(keyId);
  const { address } = ledger.state.wallets.rows.get(walletId)!;
  const botId = ledger.addMachine('Bot').id;
  return { ledger, vaultId, walletId, walletKeyId, address, keyId, botId };
}

/** Effective state of everything on the desk. */
function viewsOf({ ledger: { state }, vaultId, walletId, walletKeyId, keyId, botId }: Desk) {
  return {
    key: keyView(state, state.keys.rows.get(keyId)!, CATALOGUES),
    wallet: walletView(state, state.wallets.rows.get(walletId)!),
    walletKey: keyView(state, state.keys.rows.get(walletKeyId)!, CATALOGUES),
    vault: vaultView(state, state.vaults.rows.get(vaultId)!),
    user: userFullView(state, state.users.rows.get(botId)!, 0),
  };
}

type Thing = keyof ReturnType<typeof viewsOf>;
const THINGS: readonly Thing[] = ['key', 'wallet', 'walletKey', 'vault', 'user'];

const SCOPES: Record<
  string,
  { target(desk: Desk): string; id(desk: Desk): string; stops: readonly Thing[] }
> = {
  system: { target: () => '/v1/system/freeze', id: () => 'system', stops: THINGS },
  vault: {
    target: ({ vaultId }) => `/v1/vaults/freeze?vault_ids=${vaultId}`,
    id: ({ vaultId }) => vaultId,
    stops: ['wallet', 'walletKey', 'vault'],
  },
  wallet: {
    target: ({ vaultId, address }) => `/v1/vaults/${vaultId}/wallets/freeze?addresses=${address}`,
    id: ({ walletId }) => walletId,
    stops: ['wallet', 'walletKey'],
  },
  venue: {
    target: () => '/v1/keys/freeze?venue_id=binance',
    id: () => 'binance',
    stops: ['key'],
  },
  key: {
    target: ({ keyId }) => `/v1/keys/freeze?key_ids=${keyId}`,
    id: ({ keyId }) => keyId,
    stops: ['key'],
  },
  user: {
    target: ({ botId }) => `/v1/users/freeze?user_ids=${botId}`,
    id: ({ botId }) => botId,
    stops: ['user'],
  },
};

describe.each(Object.entries(SCOPES))('a freeze of scope %s', (scope, { target, id, stops }) => {
  it('shows in all that it stops and in nothing else, and no more once it is lifted', () => {
    const desk = openDesk();
    const { ledger } = desk;
    const at = new Date(ledger.now).toISOString();
    ledger.must(ledger.admin, 'POST', target(desk), { reason: 'why' });
    const freeze = { scope, id: id(desk), at, by: ledger.admin.id, reason: 'why' };
    const views = viewsOf(desk);
    for (const thing of THINGS) {
      const { status, frozen_by } = views[thing];
      const expected = stops.includes(thing) ? ['frozen', [freeze]] : ['active', []];
      expect([thing, status, frozen_by]).toEqual([thing, ...expected]);
    }
    expect(allFreezes(ledger.state)).toEqual([{ ...freeze, at: Date.parse(at) }]);
    ledger.must(ledger.admin, 'POST', target(desk).replace('freeze', 'unfreeze'));
    for (const view of Object.values(viewsOf(desk))) {
      expect(view).toMatchObject({ status: 'active', frozen_by: [] });
    }
    expect(allFreezes(ledger.state)).toEqual([]);
  });
});

describe('freezes', () => {
  it('of several scopes are all shown, the widest first; in the list the oldest first', () => {
    const desk = openDesk();
    for (const scope of ['key', 'venue', 'system']) {
      desk.ledger.must(desk.ledger.admin, 'POST', SCOPES[scope]!.target(desk));
    }
    const { frozen_by } = viewsOf(desk).key;
    expect(frozen_by.map(({ scope }) => scope)).toEqual(['system', 'venue', 'key']);
    expect(allFreezes(desk.ledger.state).map(({ scope }) => scope)).toEqual([
      'key',
      'venue',
      'system',
    ]);
  });

  const STAMPED = ['key', 'wallet', 'vault', 'user'] as const;

  it.each(STAMPED)('count as an update of a %s, once', (scope) => {
    const desk = openDesk();
    const { ledger } = desk;
    const freezer = ledger.addMachine('Freezer', ['freeze', 'unfreeze']);
    const at = () => new Date(ledger.now).toISOString();
    const frozenAt = at();
    const target = SCOPES[scope]!.target(desk);
    ledger.must(freezer, 'POST', target);
    const stamps = { last_updated_at: frozenAt, last_updated_by: freezer.id };
    const version = (number: number) => (scope === 'key' ? { version: number } : {});
    expect(viewsOf(desk)[scope]).toMatchObject({ ...stamps, ...version(2) });
    ledger.must(ledger.admin, 'POST', target);
    expect(viewsOf(desk)[scope]).toMatchObject({ ...stamps, ...version(2) });
    const lifted = { last_updated_at: at(), last_updated_by: ledger.admin.id };
    ledger.must(ledger.admin, 'POST', target.replace('freeze', 'unfreeze'));
    expect(viewsOf(desk)[scope]).toMatchObject({ ...lifted, ...version(3) });
  });

  it('of a venue that nobody knows are a slip of the pen: 422', () => {
    const { ledger } = openDesk();
    const freeze = (path: string) => ledger.send(ledger.admin, 'POST', path).refusal;
    expect(freeze('/v1/keys/freeze?venue_id=binnance')).toMatchObject({
      refused: 'invalid_inputs',
      message: 'venue_id: names an unknown venue',
    });
    expect(freeze('/v1/keys/freeze?venue_id=kraken')).toBeUndefined();
    ledger.must(ledger.admin, 'POST', '/v1/keys', {
      type: 'ed25519',
      display_name: 'Key',
      venue_id: 'venue_a',
    });
    expect(freeze('/v1/keys/freeze?venue_id=venue_a')).toBeUndefined();
  });

  it('of an unknown venue that are in the ledger can be lifted', () => {
    const { ledger } = openDesk();
    const path = '/v1/keys/freeze?venue_id=binnance';
    expect(ledger.sendUnchecked(ledger.admin, 'POST', path).refusal).toBeUndefined();
    expect(ledger.state.frozenVenues.has('binnance')).toBe(true);
    ledger.must(ledger.admin, 'POST', '/v1/keys/unfreeze?venue_id=binnance');
    expect(ledger.state.frozenVenues.size).toBe(0);
  });
});

describe('a user that has expired', () => {
  it('is expired, unless something worse stops it', () => {
    const { ledger } = openDesk();
    const id = ledger.must(ledger.admin, 'POST', '/v1/users', {
      type: 'machine',
      display_name: 'Temp',
      public_key: Buffer.from(ledger.admin.publicKey, 'base64').toString('base64url'),
      expires_at: new Date(ledger.now + 60_000).toISOString(),
    });
    const statusAt = (ms: number) => {
      const { state } = ledger;
      return userFullView(state, state.users.rows.get(id)!, ms).status;
    };
    const { expiresAt } = ledger.state.users.rows.get(id) as { expiresAt: number };
    expect([statusAt(expiresAt - 1), statusAt(expiresAt)]).toEqual(['active', 'expired']);
    ledger.must(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${id}`);
    expect(statusAt(expiresAt)).toBe('frozen');
  });
});
