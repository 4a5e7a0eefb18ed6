/** Closed lists of words in requests, answers and the vault's state. */

/** Families of blockchain networks: those of one family share their form of address. */
export const NETWORK_FAMILIES = ['solana', 'sui', 'aptos', 'stellar', 'near'] as const;

export type NetworkFamily = (typeof NETWORK_FAMILIES)[number];

/** What a security group may hold. */
export const MEMBER_TYPES = ['key', 'wallet'] as const;

export type MemberType = (typeof MEMBER_TYPES)[number];

/** The operations in a signing policy: signing what the vault reads, and signing bytes that it does not. */
export const SIGNING_OPERATION_NAMES = ['sign', 'raw_sign'] as const;

export type SigningOperationName = (typeof SIGNING_OPERATION_NAMES)[number];

/** The names in rules about times, in the order of the week. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export type Weekday = (typeof WEEKDAYS)[number];

/** What a velocity limit counts. */
export const VELOCITY_UNITS = ['count', 'amount', 'quote_amount', 'usd'] as const;

export type VelocityUnit = (typeof VELOCITY_UNITS)[number];

/** Whose requests a velocity limit counts together. */
export const VELOCITY_SCOPES = ['key', 'wallet', 'group', 'initiator'] as const;

export type VelocityScope = (typeof VELOCITY_SCOPES)[number];

export const OPERATION_CLASSES = [
  'read',
  'cancel',
  'trade',
  'transfer',
  'withdraw',
  'key_admin',
  'session',
  'unknown',
] as const;

/**
 * What a request does at the venue. `cancel`: it can only take orders away. If the venue's signature cannot tell them
 * apart, it may also read orders or make settings that lead to no order. `session`: one signature opens the key's
 * whole scope. `unknown`: path, method or parameter name is not in the venue's table; denied unless a rule names it.
 */
export type OperationClass = (typeof OPERATION_CLASSES)[number];
