import { expect, it } from '@jest/globals';
import { formOf, missingIn, NEW_WEBHOOK, webhookOf, type Webhook } from './webhook-form.js';

const WEBHOOK = {
  display_name: 'Pager',
  url: 'https://hooks.example.com/x',
  events: ['alarm.raised', 'freeze.changed', 'of.tomorrow'],
  enabled: false,
} as unknown as Webhook;

it('comes out of the form as it went in, without events that nobody knows', () => {
  expect(webhookOf(formOf(WEBHOOK))).toEqual({
    display_name: 'Pager',
    url: 'https://hooks.example.com/x',
    events: ['freeze.changed', 'alarm.raised'],
    enabled: false,
  });
});

it.each([
  [{}, undefined],
  [{ name: ' ' }, /name/],
  [{ url: 'hooks' }, /address/],
  [{ events: [] }, /event/],
])('needs all of its parts: %j', (change, expected) => {
  const form = { ...NEW_WEBHOOK, name: 'Pager', url: 'https://hooks.example.com/x', ...change };
  const missing = missingIn(form);
  if (expected === undefined) expect(missing).toBeUndefined();
  else expect(missing).toMatch(expected);
});
