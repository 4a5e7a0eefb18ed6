import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { isProbeBatch } from '@countersign/runtime/jobs/signing-probe.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { AskedRequest } from '../requests/asked-request.js';
import type { Dispatcher } from './dispatcher.js';
import { openSigningProbe, type SigningProbe } from './signing-probe.js';
import { createSigningWatch, type SigningWatch } from './signing-watch.js';

const DENIED = {} as RecordedOutcome;
let clock: number;
let watch: SigningWatch;
let dispatcher: Dispatcher;
/** What the dispatcher was given, and how each is told its end. */
let sent: { item: SignItem; asked: AskedRequest; end: (outcome?: RecordedOutcome) => void }[];

beforeEach(() => {
  clock = 0;
  sent = [];
  watch = createSigningWatch(() => clock);
  const submit: Dispatcher['submit'] = (item, asked) =>
    new Promise((end) => sent.push({ item, asked, end }));
  dispatcher = watch.over({ submit } as Dispatcher);
});

async function ended(outcome?: RecordedOutcome): Promise<void> {
  sent.at(-1)!.end(outcome);
  await new Promise(setImmediate);
}

describe('signing', () => {
  it('is not alive before anything has shown it, and for ten seconds after', async () => {
    expect(watch.isAlive).toBe(false);
    void dispatcher.submit({} as SignItem, {} as AskedRequest);
    await ended(DENIED);
    clock = 9_999;
    expect(watch.isAlive).toBe(true);
    clock = 10_000;
    expect(watch.isAlive).toBe(false);
  });

  it('is not shown by a request that came to nothing', async () => {
    void dispatcher.submit({} as SignItem, {} as AskedRequest);
    await ended(undefined);
    expect(watch.isAlive).toBe(false);
  });
});

describe('a probe', () => {
  let probe: SigningProbe;
  const open = () => {
    probe = openSigningProbe({
      dispatcher,
      watch,
      logger: { warn: () => undefined },
      monotonic: () => clock,
      now: () => 1_000,
    });
    probe.stop();
  };

  it('is sent at the start, and again five seconds after anything was shown', async () => {
    open();
    expect(sent.length).toBe(1);
    await ended(DENIED);
    clock = 4_999;
    probe.look();
    expect(sent.length).toBe(1);
    clock = 5_000;
    probe.look();
    expect(sent.length).toBe(2);
  });

  it('is one at a time, and none under load', async () => {
    open();
    clock = 60_000;
    probe.look();
    expect(sent.length).toBe(1);
    await ended(undefined);
    probe.look();
    expect(sent.length).toBe(2);
    await ended(DENIED);
    for (; clock < 120_000; clock += 500) {
      void dispatcher.submit({} as SignItem, {} as AskedRequest);
      await ended(DENIED);
      const before = sent.length;
      probe.look();
      expect(sent.length).toBe(before);
    }
  });

  it('asks for no signature of anybody: no credential, no assertion, and no key that an answer could be of', () => {
    open();
    const [{ item, asked }] = sent as [(typeof sent)[0]];
    const { credential, assertion, body, method } = item.evidence;
    expect([credential, assertion.length, body.length, method]).toEqual(['', 0, 0, 'PROBE']);
    expect(asked.findTarget('any')).toBeUndefined();
    expect(isProbeBatch([item])).toBe(true);
    expect(isProbeBatch([])).toBe(false);
    expect(isProbeBatch([item, { ...item, evidence: { ...item.evidence, credential: 'x' } }])).toBe(
      false,
    );
  });

  it('that cannot be sent is followed by another, and ends no process', async () => {
    const told: unknown[] = [];
    const broken = openSigningProbe({
      dispatcher: { submit: () => Promise.reject(new Error('away')) },
      watch,
      logger: { warn: (line: unknown) => void told.push(line) },
      monotonic: () => clock,
      now: () => 1_000,
    });
    broken.stop();
    await new Promise(setImmediate);
    broken.look();
    await new Promise(setImmediate);
    const line = { event: 'signing_probe_failed', reason: 'Error: away' };
    expect(told).toEqual([line, line]);
    expect(watch.isAlive).toBe(false);
  });

  it('is another request each time', async () => {
    open();
    await ended(undefined);
    probe.look();
    const [one, other] = sent;
    expect(one!.asked.requestId).not.toBe(other!.asked.requestId);
    expect(one!.item.submission).not.toBe(other!.item.submission);
  });
});
