import * as s from '@countersign/core/shapes.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldIf, keptOf } from './tested.js';
import { listOf } from './listed.js';
import { operations } from './operations.js';

export const networks = {
  ...FORMS.networks,
  text: 'Ids of the networks that a transaction may be for. Absent: any, or none.',
  ...listOf(s.string()),
  words: { form: 'list', label: 'Networks', entries: 'such as solana-mainnet' },
  turn: 'standing',
  reads: ['transaction'],
  findDeadEnd: (_wanted, { when }) =>
    keptOf(operations, when)?.every((name) => name === 'raw_sign') === true
      ? 'raw_sign has no network'
      : undefined,
  strange: 'a venue request has no network',
  test: (wanted, { request }) => heldIf(wanted.includes(request.networkId ?? '')),
} as const satisfies Condition<readonly string[]>;
