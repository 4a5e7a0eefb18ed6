import * as s from '@countersign/core/shapes.js';
import { heldIf, type Condition } from './condition.js';
import { listOf } from './listed.js';

export const networks = {
  name: 'networks',
  field: 'networks',
  text: 'Ids of the networks that a transaction may be for. Absent: any, or none.',
  ...listOf(s.string().max(64), s.string()),
  words: { form: 'list', label: 'Networks', entries: 'such as solana-mainnet' },
  turn: 'standing',
  reads: ['transaction'],
  strange: 'a venue request has no network',
  test: (wanted, { request }) => heldIf(wanted.includes(request.networkId ?? '')),
} as const satisfies Condition<readonly string[]>;
