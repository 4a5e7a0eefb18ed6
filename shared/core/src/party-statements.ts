/** A party's statements about the ledger itself, signed with its identity key. */
import { UUID_PATTERN } from './hash.js';
import * as r from './records.js';

const HEAD = { seq: r.u64, hash: r.fixed(32) };

/** A place in the ledger: an entry and, by its hash, everything before it. */
export type LedgerHead = r.Recorded<typeof HEAD>;

export const COUNTERSIGNATURE = {
  party: r.party,
  ...HEAD,
  /** By the party's own clock. */
  at: r.time,
  /** The version of the rules by which the party wants the entries under the head to be judged. */
  rules: r.u32,
  /** The newest version that the party's release has. */
  newestRules: r.u32,
};

/** A party's statement that it has pinned the ledger up to a head, and when that was. */
export type Countersignature = r.Recorded<typeof COUNTERSIGNATURE>;

export const countersignatureMessage = r.statementMessage(
  'countersign countersignature v1',
  COUNTERSIGNATURE,
);

export const ACKNOWLEDGEMENT = { party: r.party, ...HEAD };

/** A party's statement that from now on nothing leaves it that was decided without the head's content. */
export type Acknowledgement = r.Recorded<typeof ACKNOWLEDGEMENT>;

export const acknowledgementMessage = r.statementMessage(
  'countersign acknowledgement v1',
  ACKNOWLEDGEMENT,
);

/** Chains of records in one anchor. */
export const MAX_ANCHORED_CHAINS = 256;

const CHAIN_HEAD = { chainId: r.text, seq: r.u64, hash: r.fixed(32) };

/** The last record of one of a party's chains. */
export type ChainHead = r.Recorded<typeof CHAIN_HEAD>;

export const ANCHOR = {
  party: r.party,
  chains: r.listOf(CHAIN_HEAD, MAX_ANCHORED_CHAINS, 'chains'),
};

/** A party's statement that its chains of records have come this far: records up to there may never change. */
export type Anchor = r.Recorded<typeof ANCHOR>;

export const anchorMessage = r.statementMessage('countersign anchor v1', ANCHOR);

export const SUCCESSOR = {
  /** Who says so. */
  party: r.party,
  /** The party that gets other keys. */
  replaced: r.party,
  /** Ed25519. */
  identityPublicKey: r.fixed(32),
  /** X25519. */
  exchangePublicKey: r.fixed(32),
  /** Hash of the ledger entry that asked for it: an older confirmation does not count for a later request. */
  requestHash: r.fixed(32),
};

/** A party's operator has compared the new keys of another party, and agrees to them. */
export type SuccessorConfirmation = r.Recorded<typeof SUCCESSOR>;

export const successorMessage = r.statementMessage(
  'countersign successor confirmation v1',
  SUCCESSOR,
);

/** Keys in one statement about new shares. */
export const MAX_REFRESHED_KEYS = 512;

const REFRESHED_KEY = {
  keyId: r.matching(UUID_PATTERN, 'an id of a key'),
  /** Names the run that made the shares: 16 bytes, hex. */
  session: r.matching(/^[0-9a-f]{32}$/, 'a session'),
  /** SHA-256 over the public transcript of the run. */
  transcriptHash: r.fixed(32),
};

export type RefreshedKey = r.Recorded<typeof REFRESHED_KEY>;

export const REFRESH = {
  party: r.party,
  /** Which refresh: see the state's `refresh`. */
  refresh: r.u32,
  keys: r.listOf(REFRESHED_KEY, MAX_REFRESHED_KEYS, 'keys'),
};

/** A party holds new shares of keys, and keeps them. */
export type RefreshStatement = r.Recorded<typeof REFRESH>;

export const refreshMessage = r.statementMessage('countersign share refresh v1', REFRESH);
