/** docs/reference/events.md has every type of event, and the pauses between attempts as they are. */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { RETRY_PAUSES_MS } from '../../notifier/src/deliveries/delivery-schedule.ts';
import { codesIn, tableRows } from '../support/page-tables.ts';

const PAGE = 'docs/reference/events.md';

interface Described {
  readonly components: {
    readonly schemas: {
      readonly CreateWebhookRequest: {
        readonly properties: { readonly events: { readonly items: { readonly enum: string[] } } };
      };
    };
  };
}

it('every type of event is there, and no other', () => {
  const api = JSON.parse(readFileSync('docs/specs/v0.3/openapi.json', 'utf8')) as Described;
  const { events } = api.components.schemas.CreateWebhookRequest.properties;
  const told = tableRows(PAGE, 'type').flatMap((row) => codesIn(row['type']!));
  expect(told.toSorted()).toEqual(events.items.enum.toSorted());
});

it('the pauses between attempts are those of the notifier', () => {
  const MS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };
  const [, listed] = /tried again after ([^(]+) \(/.exec(readFileSync(PAGE, 'utf8'))!;
  const pauses = [...listed!.matchAll(/(\d+) (\w+)/g)].map(
    ([, count, unit]) => Number(count) * MS[unit!]!,
  );
  expect(pauses).toEqual(RETRY_PAUSES_MS);
});
