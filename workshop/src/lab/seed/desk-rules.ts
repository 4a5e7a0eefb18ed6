/** The rules of docs/how-to/keys.md for a bot at a venue: look and cancel freely, trade these markets up to this much per order. */
import type { LabVenue } from '../catalogue/lab-venues.js';

export function deskRules({ symbols, contractSymbols = [] }: LabVenue, botId: string) {
  const initiators = { user_ids: [botId] };
  const look = { initiators, operation_classes: ['read' as const, 'cancel' as const] };
  const trade = { initiators, operation_classes: ['trade' as const] };
  const bound = { amount: { max: '0.01' }, quote_amount: { max: '1000' } };
  // where the venue's signature covers no symbol and no amount, no rule can speak of them
  const spot = symbols.length === 0 ? trade : { ...trade, symbols: [...symbols], ...bound };
  const swaps = { ...trade, symbols: [...contractSymbols], contracts: { max: '10' } };
  return [
    { display_name: 'look and cancel', then: 'allow' as const, when: look },
    { display_name: 'trade', then: 'allow' as const, when: spot },
    ...(contractSymbols.length === 0
      ? []
      : [{ display_name: 'swaps', then: 'allow' as const, when: swaps }]),
  ];
}
