import { expect, it } from '@jest/globals';
import { pendingRequest } from '@countersign/api/example-values.js';
import type { RequestRecord } from './shown-record.js';
import { pausesOf, timelineOf } from './timeline-steps.js';

const record: RequestRecord = pendingRequest;
const at = record.created_at;
const told = (change: Partial<RequestRecord>) =>
  timelineOf({ ...record, ...change }).map((step) => `${step.mood}: ${step.text}`);

it('says what came and what is still to come', () => {
  const countersignatures = [
    { party: 1, at },
    { party: 3, at },
  ];
  const approvals = { required: 3, given: [record.created_by] };
  expect(told({ countersignatures, approvals })).toEqual([
    'done: Received from',
    'done: Judged by party 1',
    'done: Judged by party 3',
    'done: Approved by',
    'open: 2 approvals',
    'open: Takes effect',
  ]);
});

it('says how it ended, by whom, and why, as text', () => {
  const error = { err_type: 'forbidden', err_msg: 'not \u202eagreed' };
  const ended = { status: 'rejected', decided_by: record.created_by, error } as const;
  expect(told({ ...ended, completed_at: at }).at(-1)).toBe(
    'bad: Rejected: not \\u{202e}agreed, by',
  );
  expect(timelineOf({ ...record, ...ended, completed_at: at }).at(-1)).toMatchObject({
    at,
    userId: record.created_by,
  });
});

it('says which parties signed, also to a viewer who is not told the result', () => {
  const receipt = { parties: [1, 3], signed_at: at } as RequestRecord['receipt'];
  const steps = timelineOf({ ...record, status: 'completed', completed_at: at, receipt });
  expect(steps.slice(-2)).toMatchObject([
    { text: 'Signed by party 1 and party 3, receipt given', at },
    { text: 'Completed', at },
  ]);
});

it('does not take the freeze that holds a signature back for the way it ended', () => {
  const error = { err_type: 'forbidden', err_msg: 'the user is frozen' };
  expect(told({ status: 'completed', completed_at: at, error }).at(-1)).toBe('done: Completed');
});

it('says when each approval came, and how long each step took', () => {
  const created_at = '2026-11-22T12:00:00.000Z';
  const [first, last] = ['2026-11-22T12:00:04.500Z', '2026-11-22T12:00:04.620Z'];
  const steps = timelineOf({
    ...record,
    created_at,
    status: 'completed',
    approvals: { required: 2, given: ['ada', 'bob'] },
    approved_at: [first],
    completed_at: last,
  });
  expect(steps.map(({ at: when }) => when)).toEqual([created_at, first, undefined, last]);
  expect(pausesOf(steps)).toEqual([undefined, 4_500, undefined, 120]);
  expect(pausesOf(steps.toReversed())).toEqual([undefined, undefined, undefined, undefined]);
});
