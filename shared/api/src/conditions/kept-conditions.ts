/** Conditions in the form in which the state keeps them. Lists are kept as they are. */
import type { VelocityScope, VelocityUnit, Weekday } from '@countersign/core/vocabulary.js';

/** Decimal strings, both inclusive. */
export interface AmountBounds {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

export interface NamedInitiators {
  readonly userIds: readonly string[];
  readonly userGroupIds: readonly string[];
}

export type Initiators = NamedInitiators | 'anyone';

/** A part of the week in local time; one that passes midnight belongs to the day on which it begins. */
export interface TimeWindow {
  readonly days?: readonly Weekday[] | undefined;
  /** `HH:MM`, inclusive. */
  readonly from?: string | undefined;
  /** `HH:MM`, exclusive. */
  readonly to?: string | undefined;
  /** IANA name, which not every release knows. */
  readonly timeZone: string;
}

/** How much a rule may allow in any span of `windowS` seconds. */
export interface VelocityLimit {
  /** Decimal string, inclusive. */
  readonly limit: string;
  readonly unit: VelocityUnit;
  readonly windowS: number;
  /** Whose requests are counted together. */
  readonly per: VelocityScope;
}
