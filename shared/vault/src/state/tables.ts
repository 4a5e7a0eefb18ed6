/** The tables of the vault's state while they are empty, each with its indexes. */
import { asciiLowerCase } from '@countersign/core/ascii-case.js';
import { newPublicKeyMarksOf, newSealedPrintsOf } from './key-marks.js';
import { selectorMarks } from './label-marks.js';
import { publicKeyOwners } from './public-key-owners.js';
import type {
  AdminPolicy,
  Freeze,
  Key,
  PendingRequest,
  SecurityGroup,
  SigningPolicy,
  User,
  UserGroup,
  Vault,
  Wallet,
} from './rows.js';
import { hasTestnetRule, hasUsdRule, isOnTestnet } from './setting-dependents.js';
import { indexedTable } from './table.js';
import { firstForGood, listed, naming, unique, versions, where } from './table-indexes.js';

const byName = unique((row: { readonly id: string; readonly displayName: string }) =>
  asciiLowerCase(row.displayName),
);

/** Rows with a freeze of their own. */
const frozen = where(
  (row: { readonly id: string; readonly frozen: Freeze | null }) => row.frozen !== null,
);

export const EMPTY_TABLES = {
  users: indexedTable<User>()({
    frozen,
    byApiKey: unique((user) => (user.type === 'machine' ? user.apiKeySha256 : undefined)),
    /** Emails with ASCII letters in lower case. */
    byEmail: unique((user) => (user.type === 'human' ? asciiLowerCase(user.email) : undefined)),
    byEnrollmentCode: unique((user) =>
      user.type === 'human' ? (user.enrollmentCodeSha256 ?? undefined) : undefined,
    ),
    byIdentity: unique((user) => (user.type === 'human' ? user.identity : undefined)),
    /** Keyed by the authenticator's name for it. */
    byPasskey: naming((user) =>
      user.type === 'human' ? (user.passkeys ?? []).map(({ credentialId: id }) => ({ id })) : [],
    ),
  }),
  userGroups: indexedTable<UserGroup>()({ byName }),
  /** Receipts and audit log entries name a version of a policy, so none is forgotten, not even with the policy. */
  adminPolicies: indexedTable<AdminPolicy>()({ byVersion: versions() }),
  vaults: indexedTable<Vault>()({ byName, frozen }),
  wallets: indexedTable<Wallet>()({
    /** Keyed by {@link walletAddressKey}. */
    byAddress: unique(({ vaultId, address }) =>
      address === '' ? undefined : walletAddressKey(vaultId, address),
    ),
    byVault: listed((wallet) => wallet.vaultId),
    frozen,
    onTestnet: where(isOnTestnet),
  }),
  keys: indexedTable<Key>()({
    frozen,
    /** Keys that the parties still have to complete. */
    pending: where(({ status }) => status === 'generating' || status === 'importing'),
    /** The owner of each public key for good. */
    byPublicKey: publicKeyOwners<Key>(newPublicKeyMarksOf),
    /** The owner of each sealed part of an import for good, by its print. */
    bySealedPart: firstForGood<Key>(newSealedPrintsOf),
  }),
  securityGroups: indexedTable<SecurityGroup>()({
    byName,
    byMember: naming((group) => group.members),
    /** Keyed by one of the labels that a group selects by, as {@link labelMark} writes it. */
    bySelector: naming(selectorMarks),
  }),
  signingPolicies: indexedTable<SigningPolicy>()({
    byVersion: versions(),
    onTestnet: where(hasTestnetRule),
    onUsdValue: where(hasUsdRule),
  }),
};

export const NO_REQUESTS_PENDING = indexedTable<PendingRequest>()({
  /** Undecided requests, and signatures whose time is not known to be over. */
  open: where(
    ({ status, call }) =>
      status === 'waiting' || status === 'delayed' || (status === 'released' && call !== null),
  ),
  /** Signatures that may be given, or could have been until lately. */
  released: where(({ status, call }) => status === 'released' && call !== null),
});

/** A wallet's address is unique within its vault. */
export function walletAddressKey(vaultId: string, address: string): string {
  return `${vaultId}/${address}`;
}
