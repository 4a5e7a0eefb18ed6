/**
 * Operations at random over few names, emails and keys, so that they clash, free what they took and take
 * it again. What a step cannot do yet (no wallet to remove) it leaves undone.
 */
import { toBase64 } from '@countersign/core/bytes.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { Table } from '@countersign/vault/state/table.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import fc from 'fast-check';
import { keyStory, type LedgerBuilder } from './ledger-builder.ts';
import { addRecipients, refuseKey } from './party-facts.ts';

const NAMES = ['Desk', 'DESK', 'Cold', 'cold store', 'Hot'];
const EMAILS = ['Ada@example.com', 'ada@example.com', 'Bob@example.com'];

export interface Step {
  readonly act: keyof typeof ACTS;
  /** Which of the rows there are. */
  readonly one: number;
  readonly other: number;
  readonly name: string;
  readonly email: string;
  /** Few: parties must not give a second key the public key of another. */
  readonly story: number;
}

/** A ledger, and what is sealed to its parties: enough to import a key. */
export interface Desk {
  readonly ledger: LedgerBuilder;
  readonly shares: ReturnType<typeof addRecipients>;
}

export function openDesk(ledger: LedgerBuilder): Desk {
  return { ledger, shares: addRecipients(ledger, 'current') };
}

/** The outcomes of the entries that the step came to. */
export function take(desk: Desk, step: Step): readonly EntryOutcome[] {
  const { length } = desk.ledger.outcomes;
  ACTS[step.act](desk, step);
  return desk.ledger.outcomes.slice(length);
}

function idOf(table: Table<{ readonly id: string }>, at: number): string {
  const ids = table.order.filter((id) => table.rows.has(id));
  return ids.get(at % Math.max(ids.size, 1)) ?? 'none';
}

/** Any user but the administrator, who signs all of this with the API key of the genesis. */
function userOf({ ledger }: Desk, { one }: Step): string {
  const { users } = ledger.state;
  return idOf({ ...users, order: users.order.rest() }, one);
}

const send = ({ ledger }: Desk, method: string, target: string, body?: unknown) =>
  ledger.send(ledger.admin, method, target, body);

/** Wallets, keys that may be members, and sometimes any key. */
const memberOf = ({ ledger }: Desk, at: number) => {
  const { wallets, keys } = ledger.state;
  if (at % 4 === 0) return { member_id: idOf(keys, at >> 2), member_type: 'key' };
  const mayJoin = (id: string) => {
    const key = keys.rows.get(id)!;
    return key.status === 'active' && key.walletId === null;
  };
  return at % 4 === 1
    ? {
        member_id: idOf({ ...keys, order: keys.order.filter(mayJoin) }, at >> 2),
        member_type: 'key',
      }
    : { member_id: idOf(wallets, at >> 2), member_type: 'wallet' };
};

const groupOf = ({ ledger }: Desk, { one }: Step) =>
  `/v1/security-groups/${idOf(ledger.state.securityGroups, one)}`;

const ACTS = {
  addHuman: (desk: Desk, { name, email }: Step) =>
    send(desk, 'POST', '/v1/users', {
      type: 'human',
      display_name: name,
      email,
      cloud_provider: 'gcp',
    }),
  addMachine: (desk: Desk, { name, story }: Step) =>
    send(desk, 'POST', '/v1/users', {
      type: 'machine',
      display_name: name,
      public_key: Buffer.from(keyStory(`${story}`).publicKey).toString('base64url'),
    }),
  changeUser: (desk: Desk, step: Step) =>
    send(desk, 'PUT', `/v1/users/${userOf(desk, step)}`, {
      display_name: step.name,
      ...(step.other % 2 === 0 && { rotate_api_key: true }),
    }),
  deleteUsers: (desk: Desk, { one, other }: Step) => {
    const ids = [one, other].map((at) => idOf(desk.ledger.state.users, at));
    return send(desk, 'DELETE', `/v1/users?user_ids=${ids.join(',')}`);
  },
  freezeUser: (desk: Desk, step: Step) =>
    send(desk, 'POST', `/v1/users/freeze?user_ids=${userOf(desk, step)}`),
  addUserGroup: (desk: Desk, { name }: Step) =>
    send(desk, 'POST', '/v1/user-groups', { display_name: name }),
  renameUserGroup: (desk: Desk, { one, name }: Step) =>
    send(desk, 'PUT', `/v1/user-groups/${idOf(desk.ledger.state.userGroups, one)}`, {
      display_name: name,
    }),
  deleteUserGroup: (desk: Desk, { one }: Step) =>
    send(desk, 'DELETE', `/v1/user-groups/${idOf(desk.ledger.state.userGroups, one)}`),
  addVault: (desk: Desk, { name }: Step) =>
    send(desk, 'POST', '/v1/vaults', { display_name: name }),
  renameVault: (desk: Desk, { one, name }: Step) =>
    send(desk, 'PUT', `/v1/vaults/${idOf(desk.ledger.state.vaults, one)}`, { display_name: name }),
  addWallet: (desk: Desk, { one, other, name }: Step) =>
    send(desk, 'POST', `/v1/vaults/${idOf(desk.ledger.state.vaults, one)}/wallets`, {
      network_family: other % 2 === 0 ? 'solana' : 'sui',
      display_name: name,
    }),
  removeWallet: (desk: Desk, { one }: Step) => {
    const { wallets } = desk.ledger.state;
    const wallet = wallets.rows.get(idOf(wallets, one));
    if (wallet === undefined) return;
    const path = `/v1/vaults/${wallet.vaultId}/wallets`;
    send(desk, 'POST', `${path}/freeze?addresses=${wallet.address}`);
    send(desk, 'DELETE', `${path}?addresses=${wallet.address}`);
  },
  addKey: (desk: Desk, { name }: Step) =>
    send(desk, 'POST', '/v1/keys', { type: 'ed25519', display_name: name }),
  importKey: (desk: Desk, { other, name, story }: Step) =>
    send(desk, 'POST', '/v1/keys/import', {
      display_name: name,
      shares: desk.shares,
      ...(other % 2 === 0
        ? { type: 'hmac', encoding: 'utf8' }
        : {
            type: 'ed25519',
            encoding: 'pkcs8',
            public_key: toBase64(keyStory(`${story}`).publicKey),
          }),
    }),
  attest: ({ ledger }: Desk, { one, other, story }: Step) => {
    const { keys } = ledger.state;
    const pending = keys.order.filter((id) => {
      const status = keys.rows.get(id)?.status;
      return status === 'generating' || status === 'importing';
    });
    const key = keys.rows.get(pending.get(one % Math.max(pending.size, 1)) ?? '');
    if (key === undefined) return;
    // most tell of the key that was asked for, some of one that may be another's already
    const told = keyStory(other % 3 === 0 ? `${story}` : key.id);
    const isStated = key.type === 'hmac' || key.publicKey !== '';
    const publicKey = isStated ? Buffer.from(key.publicKey, 'base64') : told.publicKey;
    for (const party of PARTY_NUMBERS.slice(0, other % 4 === 0 ? 2 : 3)) {
      ledger.attest(party, key.id, { ...told, publicKey });
    }
  },
  refuse: ({ ledger }: Desk, { one }: Step) => {
    const id = idOf(ledger.state.keys, one);
    if (ledger.state.keys.rows.has(id)) refuseKey(ledger, 2, id);
  },
  freezeKey: (desk: Desk, { one }: Step) =>
    send(desk, 'POST', `/v1/keys/freeze?key_ids=${idOf(desk.ledger.state.keys, one)}`),
  destroyKey: (desk: Desk, { one }: Step) =>
    send(desk, 'POST', `/v1/keys/${idOf(desk.ledger.state.keys, one)}/destroy`),
  addSecurityGroup: (desk: Desk, { one, other, name }: Step) =>
    send(desk, 'POST', '/v1/security-groups', {
      display_name: name,
      members: other % 3 === 0 ? [] : [one, other].map((at) => memberOf(desk, at)),
    }),
  renameSecurityGroup: (desk: Desk, step: Step) =>
    send(desk, 'PUT', groupOf(desk, step), { display_name: step.name }),
  deleteSecurityGroup: (desk: Desk, step: Step) => send(desk, 'DELETE', groupOf(desk, step)),
  addMember: (desk: Desk, step: Step) =>
    send(desk, 'PATCH', `${groupOf(desk, step)}/members`, { add: [memberOf(desk, step.other)] }),
  removeMember: (desk: Desk, step: Step) =>
    send(
      desk,
      'DELETE',
      `${groupOf(desk, step)}/members?member_ids=${memberOf(desk, step.other).member_id}`,
    ),
  putMemberBack: (desk: Desk, step: Step) => {
    const member = memberOf(desk, step.other);
    send(desk, 'PATCH', `${groupOf(desk, step)}/members`, {
      add: [member],
      remove: [member.member_id],
    });
  },
};

/** Steps, those that the others rest on more often than the rest. */
export function anySteps(length: { minLength: number; maxLength: number }): fc.Arbitrary<Step[]> {
  const acts = Object.keys(ACTS) as (keyof typeof ACTS)[];
  const members = [
    'addMember',
    'addMember',
    'addMember',
    'putMemberBack',
    'putMemberBack',
  ] as const;
  const rows = ['addVault', 'addWallet', 'addKey', 'addSecurityGroup', 'attest', 'attest'] as const;
  const step = fc.record({
    act: fc.constantFrom(...acts, ...rows, ...rows, ...members, ...members),
    one: fc.nat(23),
    other: fc.nat(23),
    name: fc.constantFrom(...NAMES),
    email: fc.constantFrom(...EMAILS),
    story: fc.nat(7),
  });
  return fc.array(step, { ...length, size: 'max' });
}
