/** What the signing routes tell a caller whom no rule names: one thing, whatever stands behind the path. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { evaluateSigning } from '@countersign/vault/operations/signing-operation.js';
import {
  findSigningOperation,
  SIGNING_OPERATIONS,
} from '@countersign/vault/operations/signing-operations.js';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';

const UNKNOWN_ID = '00000000-0000-8000-8000-000000000000';
const NO_RULE = { refused: 'forbidden', message: 'no signing policy rule allows this request' };
const ORDER = 'symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=1';
const venueRequest = { channel: 'rest', method: 'POST', path: '/api/v3/order', query: ORDER };
/** The right body of one operation or another, and what is none. */
const BODIES: readonly unknown[] = [
  { venue_request: venueRequest },
  { venue_request: { ...venueRequest, query: 'x' } },
  { message: 'aGVsbG8=' },
  { message: 'aGVsbG8=', message_encoding: 'base64' },
  { network_id: 'solana-mainnet', transaction: 'AQAB' },
  { message: 1 },
  {},
  [],
];

let ledger: LedgerBuilder;
let stranger: LedgerUser;
let viewer: LedgerUser;
let bot: LedgerUser;

interface Place {
  readonly vaultId: string;
  readonly address: string;
  readonly keyId: string;
}

beforeEach(() => {
  ledger = createLedgerBuilder();
  stranger = ledger.addMachine('stranger', []);
  viewer = ledger.addMachine('viewer', ['view_system_resources']);
  bot = ledger.addMachine('bot', []);
});

const must = (method: string, target: string, body?: unknown) =>
  ledger.must(ledger.admin, method, target, body);

let count = 0;
const name = (what: string) => `${what} ${(count += 1)}`;

/** A wallet and a key, in a group with a rule that allows the bot everything and one that denies the stranger. */
function make(): Place {
  const vaultId = must('POST', '/v1/vaults', { display_name: name('vault') });
  const walletId = must('POST', `/v1/vaults/${vaultId}/wallets`, { network_family: 'solana' });
  const keyId = must('POST', '/v1/keys', {
    type: 'ed25519',
    display_name: name('key'),
    venue_id: 'binance',
    venue_api_key: 'binanceApiKey',
  });
  const walletKeyId = ledger.state.wallets.rows.get(walletId)!.keyId;
  for (const id of [walletKeyId, keyId]) {
    for (const party of [1, 2, 3] as const) ledger.attest(party, id);
  }
  const groupId = must('POST', '/v1/security-groups', {
    display_name: name('group'),
    members: [
      { member_id: walletId, member_type: 'wallet' },
      { member_id: keyId, member_type: 'key' },
    ],
  });
  must('POST', '/v1/signing-policies', {
    display_name: name('policy'),
    security_group_id: groupId,
    rules: [
      rule('deny', stranger),
      { ...rule('allow', stranger), enabled: false },
      rule('allow', bot),
    ],
  });
  return { vaultId, address: ledger.state.wallets.rows.get(walletId)!.address, keyId };
}

function rule(then: string, { id }: LedgerUser) {
  const when = { operations: ['sign', 'raw_sign'], initiators: { user_ids: [id] } };
  return { display_name: name('rule'), when, then };
}

function answerTo(user: LedgerUser, path: string, body: unknown) {
  const evidence = ledger.evidenceOf(user, 'POST', path, body);
  const asking = { initiator: ledger.state.users.rows.get(user.id)!, receivedAt: 0 };
  return evaluateSigning(ledger.state, findSigningOperation('POST', path)!, evidence, asking);
}

const pathsOf = ({ vaultId, address, keyId }: Place) =>
  SIGNING_OPERATIONS.map(({ path }) =>
    path.replace('{vault_id}', vaultId).replace('{address}', address).replace('{key_id}', keyId),
  );

const freeze = (target: string) => must('POST', `/v1/${target}`, {});

const CONDITIONS: readonly (readonly [string, () => Place])[] = [
  ['nothing', () => ({ vaultId: UNKNOWN_ID, address: 'x', keyId: UNKNOWN_ID })],
  ['no id', () => ({ vaultId: 'X', address: '-', keyId: UNKNOWN_ID.toUpperCase() })],
  ['what is in order', make],
  [
    'the key of a wallet',
    () => {
      const place = make();
      const [walletId] = [...ledger.state.wallets.rows.values()].slice(-1);
      return { ...place, keyId: walletId!.keyId };
    },
  ],
  [
    'a wallet of another vault',
    () => ({ ...make(), vaultId: must('POST', '/v1/vaults', { display_name: name('vault') }) }),
  ],
  [
    'a key on its way',
    () => ({
      ...make(),
      keyId: must('POST', '/v1/keys', { type: 'ed25519', display_name: name('key') }),
    }),
  ],
  [
    'a destroyed key',
    () => {
      const place = make();
      must('POST', `/v1/keys/${place.keyId}/destroy`, {});
      return place;
    },
  ],
  [
    'a frozen wallet and a frozen key',
    () => {
      const place = make();
      freeze(`vaults/${place.vaultId}/wallets/freeze?addresses=${place.address}`);
      freeze(`keys/freeze?key_ids=${place.keyId}`);
      return place;
    },
  ],
  [
    'a frozen vault',
    () => {
      const place = make();
      freeze(`vaults/freeze?vault_ids=${place.vaultId}`);
      return place;
    },
  ],
  [
    'a frozen venue',
    () => {
      const place = make();
      freeze('keys/freeze?venue_id=binance');
      return place;
    },
  ],
];

describe('who is named by no rule that allows', () => {
  it('is refused in the same words on every signing route, whatever is there', () => {
    for (const [condition, arrange] of CONDITIONS) {
      for (const path of pathsOf(arrange())) {
        for (const body of BODIES) {
          const answer = answerTo(stranger, path, body);
          expect([condition, path, body, answer]).toEqual([condition, path, body, NO_RULE]);
        }
      }
    }
  });

  it('is told what is there with the right to look at it', () => {
    const nothing = { vaultId: UNKNOWN_ID, address: 'x', keyId: UNKNOWN_ID };
    for (const path of pathsOf(nothing)) {
      expect(answerTo(viewer, path, {})).toMatchObject({ refused: 'resource_not_found' });
    }
    const place = make();
    const message = `${NO_RULE.message}; those that allow something name other initiators`;
    for (const path of pathsOf(place)) {
      expect(answerTo(viewer, path, {})).toEqual({ ...NO_RULE, message });
    }
    freeze(`vaults/freeze?vault_ids=${place.vaultId}`);
    const [onWallet] = pathsOf(place);
    expect(answerTo(viewer, onWallet!, {})).toMatchObject({ message: 'the vault is frozen' });
  });
});

it('who may sign is told of what is wrong: with the target first, then with the request', () => {
  const place = make();
  for (const path of pathsOf(place)) {
    expect(answerTo(bot, path, {})).toMatchObject({ refused: 'invalid_inputs' });
    expect(answerTo(bot, path, [])).toMatchObject({ refused: 'parse_error' });
  }
  freeze(`vaults/${place.vaultId}/wallets/freeze?addresses=${place.address}`);
  freeze(`keys/freeze?key_ids=${place.keyId}`);
  for (const path of pathsOf(place)) {
    const message = path.startsWith('/v1/keys') ? 'the key is frozen' : 'the wallet is frozen';
    expect(answerTo(bot, path, {})).toEqual({ refused: 'forbidden', message });
  }
});
