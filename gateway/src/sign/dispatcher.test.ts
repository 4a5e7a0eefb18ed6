import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import {
  openSignBatch,
  type SignBatch,
  type SignItem,
} from '@countersign/runtime/jobs/sign-batch.js';
import { replicaId, startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type {
  DeniedOutcome,
  RetryOutcome,
  SignOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { denied, signedReply } from '../../../test/support/proven-outcomes.js';
import { createSigningScene, type SceneRequest } from '../../../test/support/signing-scene.js';
import { askedBefore, type AskedRequest } from '../requests/asked-request.js';
import { createDispatcher, type Dispatcher } from './dispatcher.js';
import type { Presence } from './presence.js';
import { createReplyChecks } from './reply-checks.js';

const scene = createSigningScene();
const { keys, vault } = scene;
const RETRY: RetryOutcome = {
  outcome: 'retry',
  reason: 'as a test says',
  nonce: 0n,
  isPartnerAtFault: false,
};
const DENIED = { outcome: 'denied', errType: 'forbidden', reason: 'as a test says' };
const HEAD = { seq: 7, headHash: randomBytes(32).toString('hex') };
const PARTIES = ([1, 2, 3] as const).map((party): Replica => startReplica(party, 'a'));

let sent: { to: Replica; batch: SignBatch }[];
let suspects: Set<string>;
let notes: string[];
let alive: readonly Replica[];
let sendFails: boolean;
/** The version that gateway and parties speak, if there is one. */
let common: number | undefined;
let alarms: Alarm[];
let dispatcher: Dispatcher;

/** Prefers whom nobody suspects, as the real one does. */
const presence: Presence = {
  replicas: [],
  pairs: [],
  troubleOf: () => undefined,
  isAlive: (party) => alive.some((replica) => replica.party === party),
  choosePair() {
    if (alive.length < 2) return undefined;
    const ranked = alive.toSorted(
      (a, b) => Number(suspects.has(replicaId(a))) - Number(suspects.has(replicaId(b))),
    );
    return { lead: ranked[0]!, partner: ranked[1]!, trial: undefined };
  },
  isPairOf: () => false,
  versionOf: () => common,
  note({ lead, partner }, note) {
    notes.push(note.end);
    for (const replica of [lead, partner]) {
      if (note.end === 'answered') suspects.delete(replicaId(replica));
      if (note.end === 'lost') suspects.add(replicaId(replica));
    }
    if (note.isPartnerAtFault) suspects.add(replicaId(partner));
  },
  stop: () => undefined,
};

beforeEach(() => {
  jest.useFakeTimers();
  sent = [];
  suspects = new Set();
  notes = [];
  alive = PARTIES;
  sendFails = false;
  common = 1;
  alarms = [];
  dispatcher = createDispatcher({
    gatewayId: 'gateway-1',
    presence: () => presence,
    checks: createReplyChecks({
      trust: () => vault.trust,
      keys,
      now: Date.now,
    }),
    alarms: { raise: (alarm) => void alarms.push(alarm) },
    async send(to, sealed) {
      if (sendFails) throw new Error('no Redis');
      sent.push({ to, batch: openSignBatch(sealed, keys) });
    },
    head: () => HEAD,
    keys,
    logger: createLogger('test', 'silent'),
    now: Date.now,
    elapsed: () => performance.now(),
  });
});

afterEach(() => {
  dispatcher.stop();
  jest.useRealTimers();
});

function submit(request = scene.request()) {
  return dispatcher.submit(request.item, askedOf(request));
}

function askedOf({ evidence }: SceneRequest): AskedRequest {
  return askedBefore(evidence, () => scene.state) as AskedRequest;
}

const submitMany = (count: number) => Array.from({ length: count }, () => submit());

/** Batches in the order they left; each went to two replicas. */
function batches(): SignBatch[] {
  return [...new Map(sent.map(({ batch }) => [batch.batchId, batch])).values()];
}

/** As both parties of the batch would answer; `places`: those that the reply is about. */
function answer(
  batch: SignBatch,
  retry?: RetryOutcome,
  places: readonly number[] = batch.items.map((_item, index) => index),
): void {
  send(
    batch,
    places.map((index) => ({ index, outcome: retry ?? denialOf(batch, batch.items[index]!) })),
  );
}

function denialOf({ lead, partner }: SignBatch, item: SignItem): DeniedOutcome {
  const requestId = requestIdOf(digestOf(item.evidence));
  const { submission } = item;
  return denied({ requestId, submission }, vault, { parties: [lead.party, partner.party] });
}

/** Whatever it says, under the name of the lead unless somebody else signs. */
function send(
  { version, batchId, lead }: Pick<SignBatch, 'version' | 'batchId' | 'lead'>,
  outcomes: readonly { readonly index: number; readonly outcome: SignOutcome }[],
  signer: PartyNumber = lead.party,
): void {
  dispatcher.receive(signedReply({ version, batchId, outcomes }, vault, signer));
}

const advance = (ms: number) => jest.advanceTimersByTimeAsync(ms);

it('says to both parties in which version they speak, and sends nothing to two that share none', async () => {
  common = undefined;
  const outcome = submit();
  await advance(0);
  expect([sent, notes]).toEqual([[], ['lost']]);
  common = 1;
  await advance(25);
  expect(sent.map(({ batch }) => batch.version)).toEqual([1, 1]);
  answer(batches()[0]!);
  expect(await outcome).toMatchObject(DENIED);
});

it('knows which requests are under way, until each comes to its end', async () => {
  const [one, other] = [scene.request(), scene.request()];
  const idOf = (request: SceneRequest) => requestIdOf(digestOf(request.evidence));
  const outcomes = [submit(one), submit(other)];
  expect([one, other].map((request) => dispatcher.isUnderWay(idOf(request)))).toEqual([true, true]);
  answer(batches()[0]!);
  await outcomes[0];
  expect([one, other].map((request) => dispatcher.isUnderWay(idOf(request)))).toEqual([
    false,
    true,
  ]);
  expect(dispatcher.isUnderWay(idOf(scene.request()))).toBe(false);
});

describe('batching', () => {
  it('sends a single request at once, to its lead and its partner, with the head it saw', async () => {
    const outcome = submit();
    expect(sent.map(({ to }) => to)).toEqual([PARTIES[0], PARTIES[1]]);
    expect(batches()[0]).toMatchObject({
      lead: PARTIES[0],
      partner: PARTIES[1],
      ledgerSeq: 7,
      ledgerHash: HEAD.headHash,
    });
    answer(batches()[0]!);
    expect(await outcome).toMatchObject(DENIED);
    expect(dispatcher.pending).toBe(0);
    expect(notes).toEqual(['answered']);
  });

  it('gathers requests while three batches are under way, and sends them as one', async () => {
    const outcomes = submitMany(40);
    expect(batches().map(({ items }) => items.length)).toEqual([1, 1, 1]);
    answer(batches()[0]!);
    expect(batches().map(({ items }) => items.length)).toEqual([1, 1, 1, 37]);
    for (const batch of batches()) answer(batch);
    expect(await Promise.all(outcomes)).toMatchObject(outcomes.map(() => DENIED));
  });

  it('never puts more than 64 requests into a batch, and keeps their order', async () => {
    const requests = Array.from({ length: 104 }, () => scene.request());
    const outcomes = requests.map((request) => submit(request));
    for (let index = 0; index < batches().length; index++) answer(batches()[index]!);
    await Promise.all(outcomes);
    expect(batches().map(({ items: { length } }) => length)).toEqual([1, 1, 1, 64, 37]);
    const order = batches().flatMap((batch) => batch.items.map(({ submission }) => submission));
    expect(order).toEqual(requests.map(({ submission }) => submission));
  });
});

describe('overload', () => {
  it('counts who waits and who is on the way to the lane, until they leave', async () => {
    const visits = Array.from({ length: 19_999 }, () => dispatcher.enter('quick', 'one', 'a'));
    expect(dispatcher.isOverloaded('quick', 'one', 'a')).toBe(false);
    const last = dispatcher.enter('quick', 'one', 'b');
    expect(dispatcher.isOverloaded('quick', 'one', 'a')).toBe(true);
    expect(dispatcher.isOverloaded('quick', 'one')).toBe(true);
    expect(dispatcher.isOverloaded('rsa', 'one', 'a')).toBe(false);
    last.leave();
    expect(dispatcher.isOverloaded('quick', 'one', 'a')).toBe(false);
    alive = [];
    void submit();
    expect(dispatcher.isOverloaded('quick', 'one', 'a')).toBe(true);
    for (const visit of visits) visit.leave();
    expect(dispatcher.isOverloaded('quick', 'one', 'a')).toBe(false);
  });

  it('counts a request for several as its items, also on the way', () => {
    alive = [];
    for (let ladder = 0; ladder < 30; ladder++) {
      const request = scene.request();
      const items = Array.from({ length: 20 }, (_, index) => ({
        item: { ...request.item, submission: `${ladder} ${index}`, index },
        asked: askedOf(request),
      }));
      void dispatcher.submitAll(items);
    }
    const visits = Array.from({ length: 969 }, () => dispatcher.enter('quick', 'several', 'a'));
    expect(dispatcher.isOverloaded('quick', 'one', 'a')).toBe(false);
    visits.push(dispatcher.enter('quick', 'several', 'a'));
    expect(dispatcher.isOverloaded('quick', 'one', 'a')).toBe(true);
    for (const visit of visits) visit.leave();
    expect(dispatcher.isOverloaded('quick', 'one', 'a')).toBe(false);
  });
});

describe('replies that are lost', () => {
  it('sends the request to others after the deadline of its batch', async () => {
    const outcome = submit();
    await advance(1_600);
    const [first, second] = batches();
    expect(second!.items[0]!.submission).toBe(first!.items[0]!.submission);
    expect(second!.lead).toEqual(PARTIES[2]);
    answer(second!);
    expect(await outcome).toMatchObject(DENIED);
  });

  it('takes an answer that comes after its batch was given up, and the next one for nothing', async () => {
    const outcome = submit();
    await advance(1_600);
    expect(batches()).toHaveLength(2);
    answer(batches()[0]!);
    expect(dispatcher.pending).toBe(0);
    answer(batches()[1]!);
    expect(await outcome).toMatchObject(DENIED);
  });

  it('sends what a party has that is gone to others at once', async () => {
    const outcome = submit();
    alive = alive.filter(({ party }) => party !== 2);
    dispatcher.pump();
    expect(notes).toEqual(['lost']);
    await advance(25);
    expect(batches().map(({ lead, partner }) => [lead.party, partner.party])).toEqual([
      [1, 2],
      expect.not.arrayContaining([2]),
    ]);
    answer(batches()[1]!);
    expect(await outcome).toMatchObject(DENIED);
  });

  it('sends again only what a reply left out', async () => {
    const outcomes = submitMany(5);
    for (const batch of batches().slice(0, 3)) answer(batch);
    const last = batches()[3]!;
    expect(last.items).toHaveLength(2);
    answer(last, undefined, [1]);
    await advance(1_600);
    const again = batches()[4]!;
    expect(again.items).toEqual([last.items[0]]);
    answer(again);
    expect(await Promise.all(outcomes)).toHaveLength(5);
  });

  it('does not stall when no reply ever comes: everything ends, and new requests go through', async () => {
    const outcomes = submitMany(500);
    await advance(31_600);
    expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => undefined));
    expect(dispatcher.pending).toBe(0);
    const fresh = submit();
    answer(batches().at(-1)!);
    expect(await fresh).toMatchObject(DENIED);
  });

  it('does not stall when Redis takes no job, and goes on as soon as it does', async () => {
    sendFails = true;
    const outcome = submit();
    await advance(5_000);
    sendFails = false;
    common = 1;
    await advance(50);
    answer(batches().at(-1)!);
    expect(await outcome).toMatchObject(DENIED);
  });

  it('ignores replies to batches, and for places in them, that it did not send', async () => {
    const outcome = submit();
    const [batch] = batches();
    const denial = denialOf(batch!, batch!.items[0]!);
    const unknown = { ...batch!, batchId: randomBytes(16).toString('hex') };
    send(unknown, [{ index: 0, outcome: denial }]);
    send(batch!, [{ index: 99, outcome: denial }]);
    send(batch!, []);
    expect(dispatcher.pending).toBe(1);
    answer(batches()[0]!);
    expect(await outcome).toMatchObject(DENIED);
  });
});

describe('the end of a request', () => {
  it('comes by an outcome, not by a retry: that is tried again after a pause', async () => {
    const outcome = submit();
    for (let attempt = 0; attempt < 3; attempt++) {
      answer(batches()[attempt]!, RETRY);
      expect(batches()).toHaveLength(attempt + 1);
      await advance(25 * 2 ** attempt + 5);
      expect(batches()).toHaveLength(attempt + 2);
    }
    answer(batches()[3]!);
    expect(await outcome).toMatchObject(DENIED);
  });

  it('comes after its time to live while fewer than two parties are there', async () => {
    alive = PARTIES.slice(0, 1);
    const one = scene.request();
    const outcome = submit(one);
    expect(dispatcher.has(one.submission)).toBe(true);
    await advance(29_900);
    expect(dispatcher.pending).toBe(1);
    await advance(200);
    expect(await outcome).toBeUndefined();
    expect(dispatcher.has(one.submission)).toBe(false);
    expect(sent).toEqual([]);
  });

  it('comes in time, and what is to be tried again is, where the clock is set back meanwhile', async () => {
    const outcome = submit();
    answer(batches()[0]!, RETRY);
    jest.setSystemTime(Date.now() - 240_000);
    await advance(30);
    expect(batches()).toHaveLength(2);
    alive = PARTIES.slice(0, 1);
    answer(batches()[1]!, RETRY);
    await advance(30_000);
    expect(await outcome).toBeUndefined();
  });

  it('is not overtaken: what waited for a second party leaves when that is there', async () => {
    alive = PARTIES.slice(0, 1);
    const outcome = submit();
    await advance(10_000);
    alive = PARTIES;
    await advance(50);
    answer(batches()[0]!);
    expect(await outcome).toMatchObject(DENIED);
  });

  it('is never sent again once its time is over', async () => {
    const outcome = submit();
    await advance(60_000);
    expect(await outcome).toBeUndefined();
    const count = sent.length;
    await advance(60_000);
    expect(sent).toHaveLength(count);
  });
});

describe('a reply that lies, of one party with the evidence key', () => {
  const FORGED = 'forged_result';
  let request: SceneRequest;
  let outcome: Promise<SignOutcome | undefined>;
  let batch: SignBatch;
  beforeEach(() => {
    request = scene.request();
    outcome = submit(request);
    batch = batches()[0]!;
  });

  /** Party 1 leads the first batch with party 2; one of the three lies. */
  async function expectDropped(lie: SignOutcome, liar: PartyNumber, accused?: PartyNumber) {
    for (let attempt = 0; attempt < 20; attempt++) {
      send(batch, [{ index: 0, outcome: lie }], liar);
    }
    expect(dispatcher.pending).toBe(1);
    expect(batches()).toHaveLength(1);
    const kinds = alarms.map(({ kind, party, requestId }) => ({ kind, party, requestId }));
    const alarm = { kind: FORGED, party: accused, requestId: request.requestId };
    expect(kinds).toEqual(Array.from({ length: 20 }, () => alarm));
    const truth = scene.signed(request);
    send(batch, [{ index: 0, outcome: truth }]);
    expect(await outcome).toEqual(truth);
  }

  it('is dropped where it made up a signature, and the true answer counts', async () => {
    await expectDropped(
      scene.signed(request, { signature: Buffer.alloc(64, 1), signers: [3, 3] }),
      3,
    );
  });

  it('is dropped where the lead signs for a wrong signature, which it is accused of', async () => {
    await expectDropped(scene.signed(request, { signature: Buffer.alloc(64, 1) }), 1, 1);
  });

  it('is dropped where it brings what is right for another request', async () => {
    await expectDropped(scene.signed(scene.request()), 3);
  });

  it('is dropped where it brings the right signature of another message', async () => {
    const { requestId } = request;
    await expectDropped(scene.signed(scene.request(), { receipt: { requestId } }), 1, 1);
  });

  it('is dropped where it is a denial that one party signed alone', async () => {
    await expectDropped(denied(request, vault, { signers: [1, 1] }), 1);
    request = scene.request();
  });

  it('is dropped where it is a denial for another request', async () => {
    await expectDropped(denied(scene.request(), vault), 3);
  });

  it.each([2, 3] as const)(
    'is dropped where party %d asks for a retry that it does not lead',
    (liar) => expectDropped({ ...RETRY, nonce: 9n, isPartnerAtFault: true }, liar),
  );

  it.each([
    ['from the time after now', 5_001],
    ['older than any request may get', -35_001],
  ])('is dropped where what it brings is %s', (_what, ms) =>
    expectDropped(scene.signed(request, { signedAt: Date.now() + ms }), 3),
  );

  it('keeps no batch: it goes to others after its deadline', async () => {
    const suspected = suspects.size;
    send(batch, [{ index: 0, outcome: denied(request, vault, { signers: [3, 3] }) }], 3);
    await advance(1_600);
    expect(suspects.size).toBeGreaterThan(suspected);
    expect(batches()).toHaveLength(2);
    answer(batches()[1]!);
    expect(await outcome).toMatchObject(DENIED);
  });
});

describe('a retry', () => {
  it('carries the number of the party that asks for it into the next batch', async () => {
    const outcome = submit();
    answer(batches()[0]!, { ...RETRY, nonce: 77n });
    await advance(30);
    expect(batches().map(({ items }) => items[0]!.nonce)).toEqual([0n, 77n]);
    answer(batches()[1]!);
    await outcome;
  });

  it('that blames the partner has others chosen in its place', async () => {
    const outcome = submit();
    answer(batches()[0]!, { ...RETRY, isPartnerAtFault: true });
    expect([...suspects]).toEqual([replicaId(PARTIES[1]!)]);
    await advance(30);
    answer(batches()[1]!);
    await outcome;
  });
});
