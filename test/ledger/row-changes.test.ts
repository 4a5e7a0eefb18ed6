import { describe, expect, test } from '@jest/globals';
import { ROW_TABLES } from '@countersign/vault/audit/row-changes.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { isTable } from '@countersign/vault/state/table.js';
import { ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { SIGNING_HOLDS } from '@countersign/vault/operations/signing-holds.js';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';
import { tellAddressBookStory } from '../support/address-book-story.ts';
import { tellSuccessionStory } from '../support/succession-story.ts';
import { tellReleaseZeroStory } from '../support/release-zero-story.ts';

interface ChangeView {
  readonly table: string;
  readonly id: string;
  readonly change: string;
  readonly fields?: Record<string, unknown>;
}

function changesOf(ledger: LedgerBuilder, method: string, target: string, body?: unknown) {
  const outcome = ledger.send(ledger.admin, method, target, body);
  if (outcome.refusal !== undefined) throw new Error(outcome.refusal.message);
  return ledgerEntryView(outcome).details['changes'] as ChangeView[] | undefined;
}

test('every table of the state is looked into', () => {
  const tables = Object.entries(EMPTY_STATE).flatMap(([name, value]) =>
    isTable(value) ? [name] : [],
  );
  expect([...ROW_TABLES]).toEqual(expect.arrayContaining(tables));
});

describe('details of a change', () => {
  const ledger = createLedgerBuilder();
  const { admin } = ledger;
  const bot = ledger.addMachine('Bot');

  test('name what was created, with its fields', () => {
    const [created, ...more] = changesOf(ledger, 'POST', '/v1/vaults', { display_name: 'Desk' })!;
    expect(more).toEqual([]);
    expect(created).toMatchObject({
      table: 'vaults',
      change: 'created',
      fields: { display_name: { to: 'Desk' }, frozen: { to: null } },
    });
    expect(ledger.state.vaults.rows.has(created!.id)).toBe(true);
  });

  test('name what was and what is, of what differs alone', () => {
    const body = { display_name: 'Trader', expires_at: '2031-01-01T00:00:00Z' };
    expect(changesOf(ledger, 'PUT', `/v1/users/${bot.id}`, body)).toEqual([
      {
        table: 'users',
        id: bot.id,
        change: 'changed',
        fields: {
          display_name: { from: 'Bot', to: 'Trader' },
          expires_at: { from: null, to: '2031-01-01T00:00:00.000Z' },
        },
      },
    ]);
  });

  test('say of lists what came and what went', () => {
    const [first, second] = ['First', 'Second'].map((display_name) =>
      ledger.must(admin, 'POST', '/v1/user-groups', { display_name }),
    );
    const path = `/v1/users/${bot.id}`;
    changesOf(ledger, 'PUT', path, { user_group_ids: [first] });
    const [change] = changesOf(ledger, 'PUT', path, { user_group_ids: [second] })!;
    expect(change!.fields).toEqual({ user_group_ids: { added: [second], removed: [first] } });
  });

  test('say that a secret is another one, and nothing of it', () => {
    const before = ledger.state.users.rows.get(bot.id);
    const changes = changesOf(ledger, 'PUT', `/v1/users/${bot.id}`, { rotate_api_key: true })!;
    expect(changes[0]!.fields).toEqual({ api_key: 'withheld' });
    const after = ledger.state.users.rows.get(bot.id);
    for (const user of [before, after]) {
      const hash = user?.type === 'machine' ? user.apiKeySha256 : undefined;
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      const told = ledger.outcomes.map((outcome) => JSON.stringify(ledgerEntryView(outcome)));
      expect(told.join('')).not.toContain(hash);
    }
  });

  test('name every row of a subject, and what was removed', () => {
    const ids = ['Third', 'Fourth'].map((display_name) =>
      ledger.must(admin, 'POST', '/v1/vaults', { display_name }),
    );
    const frozen = changesOf(ledger, 'POST', `/v1/vaults/freeze?vault_ids=${ids.join(',')}`)!;
    expect(frozen.map(({ id }) => id)).toEqual(ids);
    expect(frozen[0]!.fields).toMatchObject({ frozen: { from: null, to: { by: admin.id } } });
    const gone = ledger.must(admin, 'POST', '/v1/user-groups', { display_name: 'Gone' });
    expect(changesOf(ledger, 'DELETE', `/v1/user-groups/${gone}`)).toEqual([
      { table: 'user_groups', id: gone, change: 'removed' },
    ]);
  });

  test('name settings and freezes of the whole system, and of venues', () => {
    const settings = changesOf(ledger, 'PATCH', '/v1/system-settings', {
      version: ledger.state.settings.version,
      testnets_enabled: true,
    });
    expect(settings![0]!.fields).toMatchObject({ testnets_enabled: { from: false, to: true } });
    const venue = changesOf(ledger, 'POST', '/v1/keys/freeze?venue_id=kraken');
    expect(venue).toMatchObject([{ table: 'frozen_venues', id: 'kraken', change: 'created' }]);
    const [system] = changesOf(ledger, 'POST', '/v1/system/freeze', { reason: 'drill' })!;
    expect(system!.fields).toMatchObject({
      system_freeze: { from: null, to: { reason: 'drill', by: admin.id } },
    });
    changesOf(ledger, 'POST', '/v1/system/unfreeze');
  });

  test('are absent where nothing changed', () => {
    changesOf(ledger, 'POST', `/v1/users/freeze?user_ids=${bot.id}`);
    expect(changesOf(ledger, 'POST', `/v1/users/freeze?user_ids=${bot.id}`)).toBeUndefined();
  });

  test('are there for every operation', () => {
    const told = new Set(
      [tellReleaseZeroStory(), tellSuccessionStory(), tellAddressBookStory()]
        .flatMap(({ outcomes }) => outcomes)
        .flatMap((outcome) =>
          (ledgerEntryView(outcome).details['changes'] as unknown[] | undefined)?.length
            ? [outcome.operation?.id]
            : [],
        ),
    );
    const all = [...LEDGER_OPERATIONS, ...SIGNING_HOLDS].map(({ id }) => id);
    expect(all.filter((id) => !told.has(id))).toEqual([]);
  });
});
