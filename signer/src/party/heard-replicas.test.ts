import { expect, it } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import { HeardReplicas } from './heard-replicas.js';

it('replicas that were heard are known, sixteen of a party: one that invents some forgets its own alone', () => {
  const heard = new HeardReplicas();
  const two = startReplica(2, 'a');
  const three = startReplica(3, 'a');
  heard.note(two);
  heard.note(three);
  expect(heard.has(startReplica(2, 'a'))).toBe(false);
  for (let count = 0; count < 15; count++) heard.note(startReplica(3, `fake-${count}`));
  expect(heard.has(three)).toBe(true);
  heard.note(three);
  for (let count = 0; count < 15; count++) heard.note(startReplica(3, `more-${count}`));
  expect(heard.has(three)).toBe(true);
  heard.note(startReplica(3, 'last'));
  expect([two, three].map((replica) => heard.has(replica))).toEqual([true, false]);
});
