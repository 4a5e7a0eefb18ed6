import { describe, expect, it } from '@jest/globals';
import {
  anchorMessage,
  type ChainHead,
  MAX_ANCHORED_CHAINS,
} from '@countersign/core/party-statements.js';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { anchorRecords, LostRecordsError, type AnchorWriterDeps } from './anchor-writer.js';
import { findLostAnchor, headsToAnchor, noteAnchors } from './anchored-heads.js';

const GENESIS_HASH = 'ab'.repeat(32);

function head(chainId: string, seq: number, mark = seq): ChainHead {
  return { chainId, seq, hash: Buffer.alloc(32, mark) };
}

function byChain(...heads: ChainHead[]): Map<string, ChainHead> {
  return new Map(heads.map((one) => [one.chainId, one]));
}

describe('what is to be anchored', () => {
  it('is what moved since', () => {
    const anchored = byChain(head('a', 3), head('b', 2));
    const heads = [head('a', 3), head('b', 4), head('c', 1)];
    expect(headsToAnchor(anchored, heads)).toEqual([head('b', 4), head('c', 1)]);
  });

  it('fits into a statement', () => {
    const heads = Array.from({ length: MAX_ANCHORED_CHAINS + 9 }, (_, index) =>
      head(`${index}`, 1),
    );
    expect(headsToAnchor(new Map(), heads)).toHaveLength(MAX_ANCHORED_CHAINS);
  });
});

describe('an anchored head', () => {
  const anchored = byChain(head('a', 3));
  it('is missed when the chain ends before it', () => {
    expect(findLostAnchor(anchored, new Map())).toEqual(head('a', 3));
  });
  it('is missed when another record is in its place', () => {
    expect(findLostAnchor(anchored, byChain(head('a', 3, 9)))).toEqual(head('a', 3));
  });
  it('is found', () => {
    expect(findLostAnchor(anchored, byChain(head('a', 3)))).toBeUndefined();
  });
  it('is remembered from the ledger, where this party said so, the highest of each chain', () => {
    const known = new Map<string, ChainHead>();
    noteAnchors(known, 2, [
      { actorId: 'party_2', anchored: [head('a', 5)] },
      { actorId: 'party_1', anchored: [head('b', 5)] },
      { actorId: 'party_2', anchored: [head('a', 4)] },
      { actorId: 'party_2', anchored: undefined },
    ]);
    expect([...known.values()]).toEqual([head('a', 5)]);
  });
});

function primaryOver(records: ChainHead[], anchored: Map<string, ChainHead>) {
  const appended: Uint8Array[] = [];
  const signed: Uint8Array[] = [];
  const events: unknown[] = [];
  const deps: AnchorWriterDeps = {
    party: 1,
    anchored,
    heads: {
      read: async () => records,
      find: async (places) =>
        byChain(
          ...[...places].flatMap(({ chainId, seq }) =>
            records.filter((one) => one.chainId === chainId && one.seq === seq),
          ),
        ),
    },
    follower: { state: { genesisHash: GENESIS_HASH }, fault: undefined } as never,
    ledger: {
      append: async (bodies) => {
        appended.push(...bodies);
        return [];
      },
    },
    threads: {
      signIdentity: async (messages) => {
        signed.push(...messages);
        return messages.map(() => Buffer.alloc(64, 7));
      },
    },
    logger: {} as Logger,
    alarms: { raise: (alarm) => events.push(alarm) },
    now: () => 1,
    everyMs: 1,
    onLost: () => undefined,
  };
  return { deps, appended, signed, events };
}

describe('the primary replica', () => {
  it('signs where the chains stand, once', async () => {
    const { deps, appended, signed } = primaryOver([head('a', 2)], new Map());
    await anchorRecords(deps);
    await anchorRecords(deps);
    expect(appended).toHaveLength(1);
    const { content } = decodeEntryBody(appended[0]!);
    const statement = { party: 1 as const, chains: [head('a', 2)] };
    expect(content).toEqual({
      kind: 'anchor',
      statement: { ...statement, signature: Buffer.alloc(64, 7) },
    });
    expect(signed).toEqual([anchorMessage(statement, GENESIS_HASH)]);
  });

  it('says nothing over records that were rolled back, and raises an alarm', async () => {
    const { deps, appended, events } = primaryOver([head('a', 2)], byChain(head('a', 3)));
    await expect(anchorRecords(deps)).rejects.toThrow(LostRecordsError);
    expect(appended).toEqual([]);
    const reason = 'record 3 of a is not the one that was anchored';
    expect(events).toEqual([{ kind: 'records_lost', reason, isLasting: true }]);
  });

  it('gives a statement again that was not appended', async () => {
    const { deps, appended } = primaryOver([head('a', 2)], new Map());
    const lost = {
      ...deps,
      ledger: { append: async () => Promise.reject(new Error('no answer')) },
    };
    await expect(anchorRecords(lost)).rejects.toThrow('no answer');
    await anchorRecords(deps);
    expect(appended).toHaveLength(1);
  });

  it('is silent once the ledger has a fault', async () => {
    const { deps, appended } = primaryOver([head('a', 2)], new Map());
    const follower = { ...deps.follower, fault: new Error('another ledger') };
    await anchorRecords({ ...deps, follower });
    expect(appended).toEqual([]);
  });
});
