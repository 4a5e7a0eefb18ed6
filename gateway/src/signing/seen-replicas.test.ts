import { beforeEach, describe, expect, it } from '@jest/globals';
import { PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import { presenceEntry, startReplica } from '@countersign/runtime/jobs/replica.js';
import { noteReplicas, type SeenReplicas } from './seen-replicas.js';

const NOW = 1_000_000;
const replica = startReplica(2, 'a');

let seen: SeenReplicas;
beforeEach(() => {
  seen = new Map();
});

const replicas = () => [...seen.values()].map((entry) => entry.replica);
const said = (at: number) => Object.fromEntries([presenceEntry(replica, at, false)]);

describe('a replica is taken to be alive', () => {
  it('for three seconds after it was last heard of', () => {
    noteReplicas(seen, said(NOW), NOW);
    noteReplicas(seen, said(NOW), NOW + PRESENCE_TTL_MS - 1);
    expect(replicas()).toEqual([replica]);
    noteReplicas(seen, said(NOW), NOW + PRESENCE_TTL_MS);
    expect(replicas()).toEqual([]);
  });

  it('so long too while Redis says nothing of it', () => {
    noteReplicas(seen, said(NOW), NOW);
    noteReplicas(seen, {}, NOW + PRESENCE_TTL_MS - 1);
    expect(replicas()).toEqual([replica]);
    noteReplicas(seen, {}, NOW + PRESENCE_TTL_MS);
    expect(replicas()).toEqual([]);
  });

  it('no longer for a time that is ahead of ours', () => {
    noteReplicas(seen, said(NOW + 3_600_000), NOW);
    noteReplicas(seen, {}, NOW + PRESENCE_TTL_MS);
    expect(replicas()).toEqual([]);
  });

  it('not at all for an entry that no party writes', () => {
    const [field, value] = presenceEntry(replica, NOW, false);
    noteReplicas(seen, { [field]: 'soon', '4:a:00': value, ['__proto__']: value }, NOW);
    expect(replicas()).toEqual([]);
  });
});
