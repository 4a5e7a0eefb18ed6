/** Whom parts are sealed to: only keys that the pinned parties vouch for. */
import { parseBase64 } from '@countersign/core/bytes.js';
import { recipientMessage, type ImportRecipient } from '@countersign/core/import-recipient.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { listField, ownField, textField } from '../answers/json-fields.js';
import type { PinnedVault } from '../answers/pinned-vault.js';
import { badAnswer, untrusted } from '../answers/vault-answer-error.js';

interface SignedRecipient {
  readonly recipient: ImportRecipient;
  readonly signature: Buffer;
}

/**
 * The three recipients of the answer to `GET /v1/keys/import-recipients`, in the parties' order. Throws
 * VaultAnswerError unless there is exactly one per party, signed by that party's pinned identity key for
 * the pinned vault, and not expired at `now` (ms since the Unix epoch).
 */
export function verifyImportRecipients(
  answer: unknown,
  vault: PinnedVault,
  now: number,
): readonly ImportRecipient[] {
  if (textField(answer, 'genesis_hash') !== vault.genesisHash) {
    throw untrusted('the service is another vault than the pinned one');
  }
  const signed = (listField(answer, 'recipients') ?? []).map(parseRecipient);
  assertOnePerParty(signed.map(({ recipient }) => recipient));
  return PARTY_NUMBERS.map((party) => {
    const found = signed.find(({ recipient }) => recipient.party === party);
    if (found === undefined) throw untrusted(`party ${party} has no recipient`);
    assertSigned(found, vault);
    if (found.recipient.expiresAt <= now) {
      throw untrusted(`the recipient of party ${party} has expired: compare the clocks`);
    }
    return found.recipient;
  });
}

function parseRecipient(row: unknown): SignedRecipient {
  const party = PARTY_NUMBERS.find((candidate) => candidate === ownField(row, 'party'));
  const recipientId = textField(row, 'recipient_id');
  const publicKey = parseBase64(textField(row, 'public_key') ?? '');
  const expiresAt = parseTime(textField(row, 'expires_at'));
  const signature = parseBase64(textField(row, 'signature') ?? '');
  if (
    party === undefined ||
    recipientId === undefined ||
    !UUID_PATTERN.test(recipientId) ||
    publicKey?.length !== 32 ||
    expiresAt === undefined ||
    signature?.length !== 64
  ) {
    throw badAnswer('a recipient has not the promised form');
  }
  return { recipient: { party, recipientId, publicKey, expiresAt }, signature };
}

/** RFC 3339, UTC, milliseconds, in its one spelling. */
function parseTime(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isFinite(ms) && ms >= 0 && new Date(ms).toISOString() === text ? ms : undefined;
}

/** One party's key in two places would let that party alone read two parts. */
function assertOnePerParty(recipients: readonly ImportRecipient[]): void {
  const counts = [
    new Set(recipients.map(({ party }) => party)),
    new Set(recipients.map(({ recipientId }) => recipientId)),
    new Set(recipients.map(({ publicKey }) => Buffer.from(publicKey).toString('hex'))),
  ].map(({ size }) => size);
  if (counts.some((count) => count !== recipients.length)) {
    throw untrusted('the service names a recipient twice');
  }
}

function assertSigned({ recipient, signature }: SignedRecipient, vault: PinnedVault): void {
  if (!isSigned(recipient, signature, vault)) {
    throw untrusted(`the recipient of party ${recipient.party} is not signed by that party`);
  }
}

function isSigned(recipient: ImportRecipient, signature: Buffer, vault: PinnedVault): boolean {
  const identity = identityOf(recipient.party, vault);
  const message = recipientMessage(recipient, vault.genesisHash);
  return identity !== undefined && verifyEd25519(identity, message, signature);
}

function identityOf(party: PartyNumber, { identities }: PinnedVault): Buffer | undefined {
  const row = identities.find((candidate) => candidate.party === party);
  return row === undefined ? undefined : parseBase64(row.identityPublicKey);
}
