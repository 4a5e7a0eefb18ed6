import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import { BrokenChainError } from '@countersign/vault/ledger/ledger-errors.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { FollowedFold, rowsBeyond, WrongLedgerError } from './followed-fold.js';
import type { FollowedFoldOptions } from './followed-fold.js';
import { PIN_AGAIN_MS, PIN_WITHIN_MS } from './head-pinner.js';
import { AnotherPinsError, type LedgerPin } from './ledger-pin.js';

const NOW = 1_800_000_000_000;

const hashOf = (seq: number) => Buffer.alloc(32, seq).toString('hex');
const GENESIS = hashOf(1);
const pinOf = (seq: number): LedgerPin => ({ genesisHash: GENESIS, seq, hash: hashOf(seq) });

function row(seq: number): EntryRow {
  return {
    seq,
    prevHash: Buffer.alloc(32, seq - 1),
    hash: Buffer.alloc(32, seq),
    body: Buffer.alloc(0),
  };
}

const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => row(from + index));

const viewOf = (seq: number) =>
  ({
    state: { ...EMPTY_STATE, seq, headHash: hashOf(seq), genesisHash: seq === 0 ? '' : GENESIS },
  }) as LedgerView;

/** What is asked for is written down in order; a row of seq 13 breaks the fold. */
function openFollowed(change: Partial<FollowedFoldOptions> = {}) {
  let view = viewOf(0);
  const faults: Error[] = [];
  const pins: LedgerPin[] = [];
  const troubles: string[] = [];
  const followed = new FollowedFold({
    fold: {
      get view() {
        return view;
      },
      advance(taken) {
        return taken.map(({ seq }) => {
          if (seq === 13) throw new BrokenChainError('thirteen');
          view = viewOf(seq);
          return { seq } as EntryOutcome;
        });
      },
    },
    genesisHash: () => GENESIS,
    pinned: undefined,
    pin: async (pin) => void pins.push(pin),
    onFault: (fault) => void faults.push(fault),
    onPinTrouble: (reason) => void troubles.push(reason),
    ...change,
  });
  opened.push(followed);
  const take = async (from: number, to = from) => {
    followed.fold(rows(from, to));
    await followed.publish();
  };
  return { followed, faults, pins, troubles, take };
}

let opened: FollowedFold[];
beforeEach(() => {
  jest.useFakeTimers();
  opened = [];
});
afterEach(() => {
  for (const followed of opened) followed.close();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe('a fold that is followed', () => {
  it('is at the head as of the read that last showed it', () => {
    const { followed } = openFollowed();
    expect(followed.confirmedAt).toBe(Number.NEGATIVE_INFINITY);
    followed.confirm(NOW);
    expect(followed.confirmedAt).toBe(NOW);
  });

  it('tells every listener what came of the entries, and the view after them', async () => {
    const { followed, take } = openFollowed();
    const heard: string[] = [];
    for (const name of ['a', 'b']) {
      followed.onOutcomes((outcomes, { state: { seq } }) => {
        heard.push(`${name}: ${outcomes.map((outcome) => outcome.seq).join()} at ${seq}`);
      });
    }
    await take(1, 2);
    await take(3);
    expect(heard).toEqual(['a: 1,2 at 2', 'b: 1,2 at 2', 'a: 3 at 3', 'b: 3 at 3']);
  });

  it('stops for good at an entry that cannot be folded, and is at no head any more', () => {
    const { followed, faults } = openFollowed();
    followed.confirm(NOW);
    expect(() => followed.fold([row(13)])).toThrow(BrokenChainError);
    expect(followed.fault?.message).toBe('thirteen');
    expect(faults).toEqual([followed.fault]);
    expect(followed.confirmedAt).toBe(Number.NEGATIVE_INFINITY);
    followed.confirm(NOW + 1);
    expect(followed.confirmedAt).toBe(Number.NEGATIVE_INFINITY);
  });

  it('stops when a listener breaks: nobody knows what it missed', async () => {
    const { followed, take } = openFollowed();
    followed.onOutcomes(() => {
      throw new Error('listener');
    });
    await expect(take(1)).rejects.toThrow('listener');
    expect(followed.fault?.message).toBe('listener');
  });
});

describe('a node without a pin', () => {
  const isLost = () => {
    throw new Error('it had a pin of this');
  };

  it('pins nothing before it has seen the whole ledger, and shows it all the same', async () => {
    const { followed, pins, take } = openFollowed();
    followed.fold(rows(1, 2));
    await followed.publish(false);
    expect([followed.view.state.seq, followed.pinnedSeq, pins]).toEqual([2, 0, []]);
    await take(3);
    expect([followed.pinnedSeq, pins]).toEqual([3, [pinOf(3)]]);
    // from now on what is not yet the head is pinned, too
    followed.fold(rows(4, 5));
    await followed.publish(false);
    expect(followed.pinnedSeq).toBe(5);
  });

  it('makes its first pin where an empty page shows that a full one was the last', async () => {
    const { followed, pins } = openFollowed();
    expect(followed.hasNoPin).toBe(false);
    followed.fold(rows(1, 2));
    await followed.publish(false);
    expect([followed.hasNoPin, pins]).toEqual([true, []]);
    await followed.publish();
    expect([followed.hasNoPin, pins]).toEqual([false, [pinOf(2)]]);
  });

  it('stops, and pins nothing, where it must have had one', async () => {
    const { followed, pins, faults, take } = openFollowed({ requireNew: isLost });
    await expect(take(1, 2)).rejects.toThrow('it had a pin of this');
    await expect(take(3)).rejects.toThrow('it had a pin of this');
    expect([followed.pinnedSeq, pins, faults.length]).toEqual([0, [], 2]);
  });

  it('is not asked where it has one', async () => {
    const { followed, take } = openFollowed({ pinned: pinOf(1), requireNew: isLost });
    await take(1, 2);
    expect(followed.pinnedSeq).toBe(2);
  });

  it('is not asked where it rests on the pins of another, and so never has one', async () => {
    const { faults, take } = openFollowed({ pin: undefined, requireNew: isLost });
    await take(1, 2);
    expect(faults).toEqual([]);
  });
});

describe('what was folded', () => {
  it('shows to nobody before its pin is durable, on a disk that works', async () => {
    let finish = () => {};
    const pins: LedgerPin[] = [];
    const { followed } = openFollowed({
      pin(pin) {
        pins.push(pin);
        return new Promise((resolve) => (finish = resolve));
      },
    });
    const heard: number[] = [];
    followed.onOutcomes((_outcomes, { state }) => heard.push(state.seq));
    const waiting = followed.waitUntil(({ seq }) => seq === 2, 1_000);
    followed.fold(rows(1, 2));
    expect([followed.view.state.seq, pins]).toEqual([0, []]);
    const published = followed.publish();
    await jest.advanceTimersByTimeAsync(10);
    expect([followed.view.state.seq, heard, pins]).toEqual([0, [], [pinOf(2)]]);
    finish();
    await published;
    expect([followed.view.state.seq, heard, await waiting]).toEqual([2, [2], true]);
  });

  it('shows where the disk does not take its pin, so that a freeze is obeyed, and nothing rests on it', async () => {
    const disk = { isFull: true };
    const pins: LedgerPin[] = [];
    const { followed, faults, troubles, take } = openFollowed({
      async pin(pin) {
        if (disk.isFull) throw new Error('disk full');
        pins.push(pin);
      },
    });
    const heard: number[] = [];
    followed.onOutcomes((outcomes) => heard.push(outcomes.length));
    const waiting = followed.waitUntil(({ seq }) => seq === 2, 1_000);
    await take(1, 2);
    followed.confirm(NOW);
    expect([followed.view.state.seq, heard, await waiting]).toEqual([2, [2], true]);
    expect([followed.pinnedSeq, followed.pinTrouble]).toEqual([0, 'disk full']);
    expect([faults, followed.confirmedAt]).toEqual([[], NOW]);
    await take(3);
    await jest.advanceTimersByTimeAsync(10_000);
    expect([followed.view.state.seq, followed.pinnedSeq, troubles]).toEqual([
      3,
      0,
      ['the pin is not written: disk full'],
    ]);
    disk.isFull = false;
    await jest.advanceTimersByTimeAsync(PIN_AGAIN_MS);
    // by itself, and what it came to meanwhile is in it
    expect([followed.pinnedSeq, followed.pinTrouble, pins]).toEqual([3, undefined, [pinOf(3)]]);
    await take(4);
    expect([followed.pinnedSeq, followed.fault]).toEqual([4, undefined]);
  });

  it('shows where the disk is silent, and is pinned when that comes back', async () => {
    const writes: { pin: LedgerPin; finish: () => void }[] = [];
    const { followed, take } = openFollowed({
      pin: (pin) => new Promise((resolve) => writes.push({ pin, finish: resolve })),
    });
    followed.fold(rows(1, 2));
    const published = followed.publish();
    await jest.advanceTimersByTimeAsync(PIN_WITHIN_MS - 1);
    expect(followed.view.state.seq).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    await published;
    expect([followed.view.state.seq, followed.pinnedSeq]).toEqual([2, 0]);
    expect(followed.pinTrouble).toBeDefined();
    // nobody waits for it again, and it is asked for one thing at a time
    await take(3, 5);
    expect([followed.view.state.seq, writes.length]).toEqual([5, 1]);
    writes[0]!.finish();
    await jest.advanceTimersByTimeAsync(0);
    expect([followed.pinnedSeq, writes.map(({ pin }) => pin)]).toEqual([2, [pinOf(2), pinOf(5)]]);
    writes[1]!.finish();
    await jest.advanceTimersByTimeAsync(0);
    expect([followed.pinnedSeq, followed.pinTrouble]).toEqual([5, undefined]);
  });

  it.each([
    ['at once', 0],
    ['when it is tried again', 1],
  ])(
    'never rests on a file in which another process pins, and stops: found %s',
    async (_when, failures) => {
      let left = failures;
      const { followed, faults, take } = openFollowed({
        async pin() {
          if (left-- > 0) throw new Error('disk full');
          throw new AnotherPinsError('file');
        },
      });
      const taken = take(1, 2).catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(PIN_AGAIN_MS);
      expect(await taken).toEqual(failures === 0 ? followed.fault : undefined);
      expect(followed.fault).toBeInstanceOf(AnotherPinsError);
      expect(faults).toEqual([followed.fault]);
      expect(followed.view.state.seq).toBe(failures === 0 ? 0 : 2);
      expect([followed.pinnedSeq, followed.confirmedAt]).toEqual([0, Number.NEGATIVE_INFINITY]);
      await expect(take(3)).rejects.toThrow('another process pins here');
    },
  );

  it('is pinned no more once the fold has stopped', async () => {
    const pins: LedgerPin[] = [];
    let isFull = true;
    const { followed, take } = openFollowed({
      async pin(pin) {
        if (isFull) throw new Error('disk full');
        pins.push(pin);
      },
    });
    await take(1, 2);
    expect(() => followed.fold([row(13)])).toThrow(BrokenChainError);
    isFull = false;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(pins).toEqual([]);
  });

  it('is pinned head by head, and by nobody where another one pins', async () => {
    const { pins, take } = openFollowed();
    await take(1, 2);
    await take(3);
    expect(pins).toEqual([pinOf(2), pinOf(3)]);
    const without = openFollowed({ pin: undefined });
    await without.take(1, 2);
    expect([without.followed.view.state.seq, without.followed.pinnedSeq]).toEqual([2, Infinity]);
  });

  it('does not lower the pin while it catches up with it', async () => {
    const { followed, pins, take } = openFollowed({ pinned: pinOf(4) });
    await take(1, 2);
    await take(3, 4);
    expect([followed.view.state.seq, followed.pinnedSeq, pins]).toEqual([4, 4, []]);
    await take(5);
    expect(pins).toEqual([pinOf(5)]);
  });
});

describe('a ledger that is another one', () => {
  async function refuses(change: Partial<FollowedFoldOptions>, taken: readonly EntryRow[]) {
    const { followed, faults, pins } = openFollowed(change);
    expect(() => followed.fold(taken)).toThrow(WrongLedgerError);
    expect([faults, pins]).toEqual([[followed.fault], []]);
    expect(followed.view.state.seq).toBe(0);
    return followed.fault?.message;
  }

  it.each([[hashOf(9)], [undefined]])(
    'has another genesis than the operator gave: %s',
    async (genesisHash) => {
      const fault = await refuses({ genesisHash: () => genesisHash }, rows(1, 2));
      expect(fault).toContain('another genesis than the one that this node was given');
    },
  );

  it('has another genesis than the pinned one, whatever the operator gives now', async () => {
    const pinned = { ...pinOf(4), genesisHash: hashOf(9) };
    expect(await refuses({ pinned }, [row(1)])).toContain('than the one that is pinned');
  });

  it('has another entry where the pin is', async () => {
    const pinned = { ...pinOf(4), hash: hashOf(9) };
    expect(await refuses({ pinned }, rows(1, 5))).toContain('does not contain entry 4');
  });

  it('ends before the pin: it was rolled back, and is at no head', async () => {
    const { followed, faults, take } = openFollowed({ pinned: pinOf(4) });
    await take(1, 3);
    expect(() => followed.confirm(NOW)).toThrow(WrongLedgerError);
    expect(followed.fault?.message).toContain('ends at entry 3');
    expect(faults).toEqual([followed.fault]);
    expect(followed.confirmedAt).toBe(Number.NEGATIVE_INFINITY);
  });

  it('is not one that holds what is pinned, and goes on from there', async () => {
    const { followed, take } = openFollowed({ pinned: pinOf(4) });
    await take(1, 4);
    followed.confirm(NOW);
    expect([followed.fault, followed.confirmedAt]).toEqual([undefined, NOW]);
  });
});

describe('waiting for the state', () => {
  it('ends at once when it holds already, and otherwise with the entry that brings it', async () => {
    const { followed, take } = openFollowed();
    expect(await followed.waitUntil(({ seq }) => seq === 0, 1_000)).toBe(true);
    const waiting = followed.waitUntil(({ seq }) => seq >= 2, 1_000);
    await take(1);
    await take(2);
    expect(await waiting).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('asks about the whole view, that which it shows', async () => {
    const { followed, take } = openFollowed();
    const seen: LedgerView[] = [];
    const waiting = followed.waitUntil((state, view) => {
      seen.push(view);
      return view.state === state && state.seq === 1;
    }, 1_000);
    await take(1);
    expect(await waiting).toBe(true);
    expect(seen.map(({ state }) => state.seq)).toEqual([0, 1]);
  });

  it('ends with false when the time is over', async () => {
    const { followed } = openFollowed();
    const waiting = followed.waitUntil(({ seq }) => seq === 5, 1_000);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toBe(false);
  });

  it('ends with false when the fold stops, and does not begin when it has', async () => {
    const { followed } = openFollowed();
    const waiting = followed.waitUntil(({ seq }) => seq === 5, 1_000);
    expect(() => followed.fold([row(13)])).toThrow();
    expect(await waiting).toBe(false);
    expect(await followed.waitUntil(({ seq }) => seq === 5, 1_000)).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('what was read from the head on', () => {
  const head = { seq: 2, headHash: '02'.repeat(32) };

  it('is what follows the head', () => {
    expect(rowsBeyond(head, [row(2), row(3)]).map(({ seq }) => seq)).toEqual([3]);
    expect(rowsBeyond(head, [row(2)])).toEqual([]);
  });

  it.each([
    ['nothing is there', []],
    ['it begins with another entry', [row(3)]],
    ['the head has another hash', [{ ...row(2), hash: Buffer.alloc(32, 9) }]],
  ])('is refused when %s: the ledger was rolled back', (_, rows) => {
    expect(() => rowsBeyond(head, rows)).toThrow(BrokenChainError);
  });
});
