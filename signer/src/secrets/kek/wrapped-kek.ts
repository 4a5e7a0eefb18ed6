/**
 * A KEK that a provider's key wraps. The file in its place is a JSON document: the provider's settings, a local half, and
 * the other half as the provider wrapped it. The KEK is derived from both halves, so neither the provider's operator
 * nor whoever copies the file has it alone.
 *
 * The document names the KEK. A provider that answers with another half is found out. The name and the party are
 * authenticated with the half, so that the wrapped half of one document is none of another's, nor of another party's.
 */
import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { PartyNumber } from '@countersign/core/parties.js';
import { assertPrivateFile } from '@countersign/core/private-file.js';
import { sodium } from '@countersign/custody/sodium.js';
import {
  providerSettings,
  wrappedKek,
  type ProviderSettings,
} from '@countersign/runtime/settings/kek-settings.js';
import { z } from 'zod';
import { randomSecret, type KeyEncryptionKey } from '../sealing/share-seal.js';
import { KEK_BYTES, kekOf } from './file-kek.js';
import { KekError, type KekProvider } from './kek-provider.js';
import { openProvider } from './providers.js';

const DERIVED_FOR = 'countersign kek of two halves v1';
/** Reads the settings of a provider: what a document has under `by`. */
export function readProviderSettings(path: string): ProviderSettings {
  return parseJson(path, readFileSync(path, 'utf8'), providerSettings);
}

/** Makes a new KEK under the provider's key, and returns the document. */
export async function makeWrappedKek(
  settings: ProviderSettings,
  party: PartyNumber,
): Promise<string> {
  const [local, other] = [randomSecret(KEK_BYTES), randomSecret(KEK_BYTES)];
  try {
    const { id } = kekOf(settings.provider, derive(other, local));
    const wrapped = await withName(openProvider(settings), (provider) =>
      provider.wrap(other, { party, kekId: id }),
    );
    const half = Buffer.from(local).toString('base64');
    const document = { version: 1, kek_id: id, half, wrapped, by: settings };
    return `${JSON.stringify(document, undefined, 2)}\n`;
  } finally {
    for (const secret of [local, other]) sodium.sodium_memzero(secret);
  }
}

/** Asks the provider that the document names. Rejects with `KekError`, which says what stands in the way. */
export async function openWrappedKek(path: string, party: PartyNumber): Promise<KeyEncryptionKey> {
  assertPrivateFile(path);
  return openWrappedKekIn(readFileSync(path), party, path);
}

/** `content`: a document. `place` names it in errors. */
export async function openWrappedKekIn(
  content: Uint8Array,
  party: PartyNumber,
  place: string,
): Promise<KeyEncryptionKey> {
  const document = parseJson(place, Buffer.from(content).toString(), wrappedKek);
  const { kek_id: id, wrapped, by } = document;
  const local = Buffer.from(document.half, 'base64');
  const provider = openProvider(by);
  const other = await withName(provider, () => provider.unwrap(wrapped, { party, kekId: id }));
  try {
    const kek = kekOf(by.provider, derive(other, local));
    if (kek.id !== id) throw new KekError(`${provider.name}: it answered another key than ${id}`);
    return kek;
  } finally {
    for (const secret of [local, other]) sodium.sodium_memzero(secret);
  }
}

async function withName<T>(
  provider: KekProvider,
  call: (provider: KekProvider) => Promise<T>,
): Promise<T> {
  try {
    return await call(provider);
  } catch (error) {
    if (!(error instanceof KekError)) throw error;
    throw new KekError(`${provider.name}: ${error.message}`, error.isFinal);
  }
}

function derive(other: Uint8Array, local: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', other, local, DERIVED_FOR, KEK_BYTES));
}

function parseJson<T>(path: string, text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : 'not JSON';
    throw new KekError(`${path}: ${reason}`, true);
  }
}
