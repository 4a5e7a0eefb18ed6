/** Lists of addresses of API keys: what may be in one, and who may set it. Gateways compare with it. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineUser } from '@countersign/vault/state/state.js';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';

const DESK = ['203.0.113.0/24', '2001:db8::/32'];

let ledger: LedgerBuilder;
let bot: LedgerUser;

beforeEach(() => {
  ledger = createLedgerBuilder();
  bot = ledger.addMachine('bot');
});

const set = (ranges: unknown, user = bot, by = ledger.admin) =>
  ledger.send(by, 'PUT', `/v1/users/${user.id}`, { allowed_addresses: ranges }).refusal;

const rowOf = (user = bot) => ledger.state.users.rows.get(user.id) as MachineUser;

const machineWith = (action: 'freeze' | 'manage_users') => ledger.addMachine(action, [action]);

describe('the addresses of an API key', () => {
  it('are set, kept by other changes, and lifted', () => {
    expect(set(DESK)).toBeUndefined();
    expect(rowOf().allowedAddresses).toEqual(DESK);
    ledger.must(ledger.admin, 'PUT', `/v1/users/${bot.id}`, { rotate_api_key: true });
    expect(rowOf().allowedAddresses).toEqual(DESK);
    expect(set(null)).toBeUndefined();
    expect(rowOf()).not.toHaveProperty('allowedAddresses');
  });

  it.each([
    ['an empty list', []],
    ['an address without a length', ['203.0.113.7']],
    ['bits behind the length', ['203.0.113.7/24']],
    ['IPv4 written as IPv6', ['::ffff:203.0.113.0/120']],
    ['one range twice', ['::1/128', '::1/128']],
    ['33 ranges', Array.from({ length: 33 }, (_, at) => `10.0.0.${at}/32`)],
  ])('are not %s', (_what, ranges) => expect(set(ranges)?.refused).toBe('invalid_inputs'));

  it('are up to 32 ranges', () => {
    expect(set(Array.from({ length: 32 }, (_, at) => `10.0.0.${at}/32`))).toBeUndefined();
  });

  it('of somebody with rights that the caller lacks are not for the caller to set or lift', () => {
    const manager = machineWith('manage_users');
    const freezer = machineWith('freeze');
    expect(set(DESK, bot, manager)).toBeUndefined();
    expect(set(DESK, freezer, manager)?.refused).toBe('forbidden');
    expect(set(DESK, freezer)).toBeUndefined();
    expect(set(null, freezer, manager)?.refused).toBe('forbidden');
    expect(set(DESK, freezer, manager)).toBeUndefined(); // it is what it was
  });

  it('of whom a policy asks for approvals are set by who may change that policy', () => {
    const manager = machineWith('manage_users');
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      ...{ display_name: 'Vaults', action: 'create_vaults', effect: 'allow' },
      subjects: { user_ids: [ledger.admin.id] },
      approvals: { quorum: 1, user_ids: [bot.id] },
    });
    expect(set(DESK, bot, manager)?.message).toContain('manage_admin_policies');
  });

  it('cannot shut out the last user who can change the administrative policy', () => {
    expect(set(['0.0.0.0/0', '::/0'], ledger.admin)?.refused).toBe('resource_conflict');
    const other = ledger.addMachine('other', ['manage_admin_policies', 'unfreeze']);
    expect(set(DESK, ledger.admin)).toBeUndefined();
    expect(set(DESK, other)?.refused).toBe('resource_conflict');
  });
});
