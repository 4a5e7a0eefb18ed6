import { beforeEach, describe, expect, it } from '@jest/globals';
import { deny } from '@countersign/core/denials.js';
import { refuse } from '@countersign/core/errors.js';
import { boundRefusals, FROZEN_CALLER, type BoundedRecorder } from './bounded-refusals.js';
import { MAX_REFUSED_EVIDENCE, type RefusedRequest } from './refused-request.js';

let clock: number;
let written: RefusedRequest[];
let recorder: BoundedRecorder;

beforeEach(() => {
  clock = 1_800_000_000_000;
  written = [];
  const record = async (refused: RefusedRequest) => void written.push(refused);
  recorder = boundRefusals({ record, drain: async () => undefined }, () => clock);
});

const attempt = (more: Partial<RefusedRequest> = {}): RefusedRequest => ({
  at: clock,
  action: 'sign-with-key',
  actorId: 'bot',
  requestId: 'r',
  refusal: deny('frozen', 'key'),
  keyId: 'key-1',
  ...more,
});
const byFrozen = (actorId: string) =>
  attempt({ actorId, refusal: refuse('unauthorized', FROZEN_CALLER) });

async function flood(count: number, of: (index: number) => RefusedRequest): Promise<void> {
  for (let index = 0; index < count; index++) await recorder.record(of(index));
}

describe('what a freeze stopped', () => {
  it('is written down at first, and rarely in a flood, which does not use up what others have', async () => {
    await flood(10_000, () => attempt());
    expect(written).toHaveLength(20);
    await recorder.record(attempt({ actorId: 'other' }));
    await recorder.record(attempt({ keyId: 'key-2' }));
    expect(written.slice(20)).toMatchObject([{ actorId: 'other' }, { keyId: 'key-2' }]);
    clock += 24 * 3_600_000;
    await flood(10_000, () => attempt());
    expect(written).toHaveLength(22 + 20);
  });

  it('is told with how many were not written down', async () => {
    await flood(25, () => attempt());
    expect(written.at(-1)!.refusal.message).toBe('the key is frozen');
    clock += 600_000;
    await flood(1, () => attempt());
    expect(written.at(-1)!.refusal.message).toBe(
      'the key is frozen; 5 earlier attempts were not written down',
    );
    clock += 600_000;
    await flood(1, () => attempt());
    expect(written.at(-1)!.refusal.message).toBe('the key is frozen');
  });

  it('is bounded for one caller who names ever other targets', async () => {
    const refusal = deny('frozen', 'system');
    await flood(5_000, (index) => attempt({ refusal, keyId: `key-${index}` }));
    expect(written).toHaveLength(200);
    await recorder.record(attempt({ actorId: 'other', refusal }));
    expect(written).toHaveLength(201);
  });

  it('is bounded for a frozen caller, at whatever it is aimed', async () => {
    await flood(1_000, (index) => ({ ...byFrozen('bot'), keyId: `key-${index}` }));
    expect(written).toHaveLength(20);
    expect(recorder.takesFrozen('bot')).toBe(false);
    expect(recorder.takesFrozen('other')).toBe(true);
    clock += 600_000;
    await recorder.record(byFrozen('bot'));
    expect(written.at(-1)!.refusal.message).toBe(
      `${FROZEN_CALLER}; 981 earlier attempts were not written down`,
    );
  });

  it('is written down again as time passes: six an hour of a target, sixty of a caller', async () => {
    await flood(30, () => attempt());
    for (let more = 1; more <= 12; more++) {
      clock += 600_000;
      await flood(3, () => attempt());
      expect(written).toHaveLength(20 + more);
    }
    await flood(1_000, (index) => attempt({ actorId: 'other', keyId: `key-${index}` }));
    const before = written.length;
    clock += 3_600_000;
    await flood(1_000, (index) => attempt({ actorId: 'other', keyId: `key-${index}` }));
    expect(written).toHaveLength(before + 60);
  });

  it('is of one vault or another where no key is named', async () => {
    const ofVault = (vaultId: string) => attempt({ keyId: undefined, vaultId });
    await flood(100, () => ofVault('one'));
    await flood(100, () => ofVault('another'));
    expect(written).toHaveLength(40);
  });

  it('is bounded for a frozen caller who is found before anything is read', async () => {
    const { actorId, action, requestId, at } = byFrozen('bot');
    for (let count = 0; count < 100; count++) {
      await recorder.recordFrozen({ actorId, action, requestId, at });
    }
    expect(written).toHaveLength(20);
    expect(written[0]!.refusal).toEqual(refuse('unauthorized', FROZEN_CALLER));
  });

  it('is bounded for an API key that is used elsewhere, by address', async () => {
    const { actorId, action, requestId, at } = attempt();
    const from = (address: string) =>
      recorder.recordElsewhere({ actorId, action, requestId, at }, address);
    for (let count = 0; count < 100; count++) await from('198.51.100.1');
    expect(written).toHaveLength(20);
    await from('198.51.100.2');
    expect(written.at(-1)!.refusal).toEqual({
      refused: 'forbidden',
      message: 'the API key may not be used from where this request came from: 198.51.100.2',
    });
    for (let count = 0; count < 1_000; count++) await from(`192.0.2.${count}`);
    expect(written).toHaveLength(200);
  });

  it('takes little room each', async () => {
    const evidence = Buffer.alloc(MAX_REFUSED_EVIDENCE);
    await recorder.record(attempt({ evidence, walletAddress: 'a'.repeat(10_000) }));
    expect(written[0]!.walletAddress).toHaveLength(200);
    expect(written[0]).not.toHaveProperty('evidence');
  });
});

it('what was refused for anything else is written down every time', async () => {
  const refusal = deny('signing_policies', 'the key is frozen, says a rule');
  await flood(300, () => attempt({ refusal }));
  expect(written).toHaveLength(300);
});
