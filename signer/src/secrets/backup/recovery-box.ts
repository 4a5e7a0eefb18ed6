/**
 * Any `threshold` of several people open a box together, each with a recovery key of their own; fewer learn nothing of
 * its content. The content is encrypted to an age key made for this box alone. That key is split by Shamir's scheme,
 * and each part is encrypted to one recovery key (age v1, age-encryption.org). The box does not say who made it.
 */
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { combine, split } from 'shamir-secret-sharing';
import { z } from 'zod';

const MAX_RECIPIENTS = 255;

export const recoveryBoxSchema = z.strictObject({
  /** How many recovery keys it takes. */
  threshold: z.int().min(1).max(MAX_RECIPIENTS),
  /** One for each recovery key, base64. */
  parts: z.array(z.base64()).min(1).max(MAX_RECIPIENTS),
  /** Base64. */
  content: z.base64(),
});

export type RecoveryBox = z.infer<typeof recoveryBoxSchema>;

/** Its text may be shown to the user. */
export class RecoveryBoxError extends Error {}

/** A new recovery key, an age identity (`AGE-SECRET-KEY-1…`), and its public half (`age1…`). */
export async function makeRecoveryKey(): Promise<{
  readonly secret: string;
  readonly public: string;
}> {
  const secret = await generateX25519Identity();
  return { secret, public: await identityToRecipient(secret) };
}

/**
 * `recipients`: public halves of recovery keys. Throws RecoveryBoxError for a malformed or repeated one, or too few.
 */
export async function sealForRecovery(
  content: Uint8Array,
  recipients: readonly string[],
  threshold: number,
): Promise<RecoveryBox> {
  if (new Set(recipients).size !== recipients.length) {
    throw new RecoveryBoxError('a recovery key is named twice');
  }
  const most = Math.min(recipients.length, MAX_RECIPIENTS);
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > most) {
    throw new RecoveryBoxError(`${threshold} of ${recipients.length} recovery keys: no such box`);
  }
  const key = await makeRecoveryKey();
  const shares = await splitSecret(
    Uint8Array.from(Buffer.from(key.secret)),
    recipients.length,
    threshold,
  );
  const parts = await Promise.all(
    shares.map((share, index) => encryptTo(recipients[index]!, share)),
  );
  return { threshold, parts, content: await encryptTo(key.public, content) };
}

/** `secrets`: recovery keys. Throws RecoveryBoxError where they are too few, or not those of this box. */
export async function openRecoveryBox(
  { threshold, parts, content }: RecoveryBox,
  secrets: readonly string[],
): Promise<Uint8Array> {
  const opened = await Promise.all(parts.map((part) => decryptBy(secrets, part)));
  const shares = opened.filter((share) => share !== undefined);
  if (shares.length < threshold) {
    throw new RecoveryBoxError(
      `it takes ${threshold} recovery keys of this backup, and ${shares.length} of them are here`,
    );
  }
  const secret = await combineShares(shares.slice(0, threshold));
  const isOpened = await decryptBy([Buffer.from(secret).toString()], content);
  if (isOpened === undefined) throw new RecoveryBoxError('the backup is damaged');
  return isOpened;
}

/** Where one part opens the box, it is the secret itself: Shamir's scheme begins with two. */
async function splitSecret(secret: Uint8Array, parts: number, threshold: number) {
  return threshold === 1 ? Array<Uint8Array>(parts).fill(secret) : split(secret, parts, threshold);
}

async function combineShares(shares: readonly Uint8Array[]): Promise<Uint8Array> {
  return shares.length === 1 ? shares[0]! : combine(shares.map((share) => Uint8Array.from(share)));
}

async function encryptTo(recipient: string, content: Uint8Array): Promise<string> {
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch {
    throw new RecoveryBoxError(`${recipient}: no public recovery key (age1…)`);
  }
  return Buffer.from(await encrypter.encrypt(content)).toString('base64');
}

/** Undefined where none of them opens it. */
async function decryptBy(
  secrets: readonly string[],
  sealed: string,
): Promise<Uint8Array | undefined> {
  const decrypter = new Decrypter();
  for (const secret of secrets) addIdentity(decrypter, secret);
  return decrypter.decrypt(Buffer.from(sealed, 'base64')).catch(() => undefined);
}

function addIdentity(decrypter: Decrypter, secret: string): void {
  try {
    decrypter.addIdentity(secret);
  } catch {
    throw new RecoveryBoxError('a file holds no recovery key (AGE-SECRET-KEY-1…)');
  }
}
