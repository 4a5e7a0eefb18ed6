import type { PartyNumber } from './party-types.js';

export type * from './party-types.js';

export const PARTY_NUMBERS: readonly PartyNumber[] = [1, 2, 3];
