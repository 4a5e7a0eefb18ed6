import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import type { ReceiptTrust } from '@countersign/api/receipt.js';
import { createVerifyParty } from '@countersign/api/signed-tree.js';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import { encodeOutcome, type RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { identityOfToken } from '@countersign/vault/authentication/token-identity.js';
import type { HumanUser } from '@countersign/vault/state/state.js';
import { deleteRow, insertRow } from '@countersign/vault/state/table.js';
import type pg from 'pg';
import { googleToken } from '../../../test/support/person.js';
import { denied } from '../../../test/support/proven-outcomes.js';
import {
  createSigningScene,
  type SceneRequest,
  type SceneRow,
} from '../../../test/support/signing-scene.js';
import { createCheckedResults } from './checked-results.js';

const scene = createSigningScene();
const { vault, keys } = scene;

let rows: SceneRow[];
let alarms: Alarm[];
let state: typeof scene.state;
let request: SceneRequest;
let truth: RecordedOutcome;
let trust: ReceiptTrust;

beforeEach(() => {
  [rows, alarms] = [[], []];
  state = scene.state;
  trust = vault.trust;
  request = scene.request();
  truth = scene.signed(request);
});

const results = createCheckedResults({
  pool: {
    query: async (_text: string, [ids]: [string[]]) => ({
      rows: rows.filter(({ request_id: id }) => ids.includes(id)),
    }),
  } as unknown as Pick<pg.Pool, 'query'>,
  keys,
  state: () => state,
  trust: () => trust,
  alarms: { raise: (alarm) => void alarms.push(alarm) },
});

const find = () => results.find(request.requestId);

describe('a denial by a party that was replaced', () => {
  const trustWhere = (replacedAt: number): ReceiptTrust => ({
    ...vault.trust,
    verifyParty: createVerifyParty(
      vault.parties.map((row) => (row.party === 2 ? { ...row, until: 9, replacedAt } : row)),
    ),
  });

  it('stays the result of a request that was made before that, and is none of a later one', async () => {
    const askedAt = request.evidence.timestampMs;
    rows = [scene.row(request, denied(request, vault))];
    trust = trustWhere(askedAt + 1);
    expect(await find()).toMatchObject({ outcome: { outcome: 'denied' } });
    expect(alarms).toEqual([]);
    trust = trustWhere(askedAt);
    expect(await find()).toBeUndefined();
    expect(alarms).toMatchObject([{ kind: 'forged_result' }]);
  });
});

describe('a stored result', () => {
  it('is read with who asked and when', async () => {
    rows = [scene.row(request, truth)];
    expect(await find()).toMatchObject({
      outcome: truth,
      createdBy: scene.caller.id,
      asked: { operation: { id: 'raw-sign-with-key' } },
      receivedAt: request.item.receivedAt,
      completedAt: request.item.receivedAt + 100,
    });
    expect(alarms).toEqual([]);
  });

  it('is undefined where there is none', async () => {
    expect(await find()).toBeUndefined();
  });

  it('is a signature where there is one: a denial beside it does not count', async () => {
    const denial = denied(request, vault, { parties: [1, 3] });
    const signed = scene.signed(request, { parties: [3, 2] });
    rows = [scene.row(request, signed), scene.row(request, denial)];
    expect((await find())?.outcome).toEqual(signed);
    rows.reverse();
    expect((await find())?.outcome).toEqual(signed);
  });

  it('is that of the lowest lead among equals, in whatever order they come', async () => {
    const others = (
      [
        [3, 1],
        [2, 3],
        [1, 2],
      ] as const
    ).map((parties) => scene.row(request, scene.signed(request, { parties })));
    for (const order of [others, others.toReversed()]) {
      rows = order;
      expect((await find())?.outcome).toMatchObject({ receipt: { parties: [1, 2] } });
    }
  });

  it('belongs to whose credential it was, whatever its lead says; to whom its lead says once he is gone', async () => {
    const stranger = '22222222-2222-4222-8222-222222222222';
    rows = [scene.row(request, truth, { created_by: stranger })];
    expect((await find())?.createdBy).toBe(scene.caller.id);
    state = { ...state, users: deleteRow(state.users, scene.caller.id) };
    expect((await find())?.createdBy).toBe(stranger);
  });

  it('belongs to the person whose token it was, whatever its lead says', async () => {
    const token = googleToken('somebody');
    const { type: _, ...common } = scene.caller;
    const person: HumanUser = {
      ...{ ...common, type: 'human', email: 'somebody@example.com', cloudProvider: 'gcp' },
      ...{
        id: randomUuid(),
        enrollmentCodeSha256: null,
        identity: identityOfToken(token)!.identity,
      },
    };
    state = { ...state, users: insertRow(state.users, person) };
    const evidence: Evidence = { ...request.evidence, scheme: 'Bearer', credential: token };
    request = { ...request, evidence, requestId: requestIdOf(digestOf(evidence)) };
    rows = [scene.row(request, scene.signed(request), { created_by: scene.caller.id })];
    expect((await find())?.createdBy).toBe(person.id);
  });

  it('is left alone while this gateway has not folded that far', async () => {
    const ahead = scene.signed(request, { receipt: { ledgerSeq: 99, keyId: randomUuid() } });
    rows = [scene.row(request, ahead)];
    expect(await find()).toBeUndefined();
    expect(alarms).toEqual([]);
  });
});

const randomUuid = () => '33333333-3333-4333-8333-333333333333';

const UNREADABLE: readonly [string, (row: SceneRow) => Partial<SceneRow>][] = [
  ['that has no bytes', () => ({ payload: Buffer.alloc(0) })],
  ['of random bytes', () => ({ payload: randomBytes(400) })],
  ['with bytes to spare', ({ payload }) => ({ payload: Buffer.concat([payload!, payload!]) })],
  ['cut short', ({ payload }) => ({ payload: payload!.subarray(0, -1) })],
  ['with a retry', () => ({ payload: retry() })],
  ['the result is larger than the limit', () => ({ payload: null })],
  ['with evidence of random bytes', () => ({ evidence: randomBytes(300) })],
  ['with evidence larger than any request', () => ({ evidence: null })],
  ['with evidence that asks for no signature', () => ({ evidence: elsewhere('/v1/vaults') })],
  ['with evidence that does not parse', () => ({ evidence: elsewhere(undefined, '{"a":') })],
];

function retry(): Buffer {
  return encodeOutcome({ outcome: 'retry', reason: 'x', nonce: 0n, isPartnerAtFault: false });
}

function elsewhere(path = request.evidence.path, body = '{}'): Buffer {
  return sealEvidence({ ...request.evidence, path, body: Buffer.from(body) }, keys);
}

/** Each is a row that party 3 writes under its own role, about a request that parties 1 and 2 sign. */
const FORGED: readonly [string, () => SceneRow][] = [
  ['a signature that it made up', () => ofLiar(scene.signed(request, liar(randomBytes(64))))],
  [
    'a signature that it vouches for and that is wrong',
    () =>
      scene.row(request, scene.signed(request, { signature: randomBytes(64), parties: [3, 1] })),
  ],
  ['the true result of others, as its own', () => ofLiar(truth)],
  [
    'what is right for another request',
    () => {
      const other = scene.request();
      return { ...ofLiar(scene.signed(other, { parties: [3, 1] })), request_id: request.requestId };
    },
  ],
  [
    'what is right for another request, with its evidence',
    () => {
      const other = scene.request();
      const row = scene.row(other, scene.signed(other, { parties: [3, 1] }));
      return { ...row, request_id: request.requestId };
    },
  ],
  [
    'the right result with the evidence of another request',
    () => {
      const own = scene.signed(request, { parties: [3, 1] });
      return { ...scene.row(scene.request(), own), request_id: request.requestId };
    },
  ],
  [
    'the signature of another message',
    () => {
      const { requestId } = request;
      return ofLiar(scene.signed(scene.request(), { parties: [3, 1], receipt: { requestId } }));
    },
  ],
  [
    'a signature of another key',
    () => ofLiar(scene.signed(request, { parties: [3, 1], receipt: { keyId: randomUuid() } })),
  ],
  [
    'a denial that it signed alone',
    () => ofLiar(denied(request, vault, { parties: [3, 1], signers: [3, 3] })),
  ],
  [
    'a denial of another request',
    () => ofLiar(denied(scene.request(), vault, { parties: [3, 1] })),
  ],
  ['a denial as lead and partner', () => ofLiar(denied(request, vault, { parties: [3, 3] }))],
  [
    'a denial in the name of another lead',
    () => ofLiar(denied(request, vault, { parties: [1, 3], signers: [3, 3] })),
  ],
];

const ofLiar = (outcome: RecordedOutcome) => scene.row(request, outcome, { lead: 3 });
const liar = (signature: Buffer) => ({ signature, parties: [3, 1], signers: [3, 3] }) as const;

describe('a row of one party', () => {
  async function expectSetApart(row: SceneRow, kind: string) {
    rows = [row];
    expect(await find()).toBeUndefined();
    // before the true one, and after it; each is told of once
    for (const order of [
      [row, scene.row(request, truth)],
      [scene.row(request, truth), row],
    ]) {
      rows = order;
      expect((await find())?.outcome).toEqual(truth);
    }
    const { requestId } = request;
    expect(alarms).toMatchObject([{ kind, party: 3, requestId }]);
  }

  it.each(UNREADABLE)('%s is set apart, and hurts nobody else', async (_name, change) => {
    const row = scene.row(request, scene.signed(request, { parties: [3, 1] }));
    await expectSetApart({ ...row, ...change(row) }, 'unreadable_row');
  });

  it.each(FORGED)('with %s is set apart, and hurts nobody else', async (_name, make) => {
    await expectSetApart(make(), 'forged_result');
  });
});
