/**
 * A symmetric key of AWS KMS, by the official client. It signs its requests with what AWS's own chain finds: variables,
 * the token file of a pod, the role of a container or a machine. The client is loaded for such parties alone.
 */
import { Readable } from 'node:stream';
import { isSafeAddress, type SettingsOf } from '@countersign/runtime/settings/kek-settings.js';
import type { EncryptionAlgorithmSpec, KMSClient } from '@aws-sdk/client-kms';
import { bounded, inTime, reasonOf } from './json-call.js';
import { KekError, type KekContext, type KekProvider } from './kek-provider.js';

type Settings = SettingsOf<'aws'>;

/** The one algorithm of symmetric keys. */
const ALGORITHM: EncryptionAlgorithmSpec = 'SYMMETRIC_DEFAULT';
const TRIES = 3;
const CONNECTED_WITHIN_MS = 2_000;
const ANSWER_WITHIN_MS = 5_000;

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['AccessDeniedException', 'not let in: without the right to this key, or in another context'],
  ['UnrecognizedClientException', 'not let in: it does not know these credentials'],
  ['InvalidSignatureException', 'not let in: wrong credentials, or a wrong clock'],
  ['ExpiredTokenException', 'not let in: the credentials have expired'],
  ['CredentialsProviderError', 'no credentials were found'],
  ['InvalidCiphertextException', 'it does not decrypt this: another key, or another context'],
  ['IncorrectKeyException', 'it does not decrypt this: another key'],
  ['InvalidKeyUsageException', 'the key may not be used for this'],
  ['DisabledException', 'the key is disabled'],
  ['KMSInvalidStateException', 'the key is disabled, or waits for its deletion'],
  ['NotFoundException', 'there is no such key'],
  ['ThrottlingException', 'it is asked too often'],
  ['KMSInternalException', 'it has a fault'],
]);

/** People give rights by it: `kms:EncryptionContext:countersign-party`. */
const encryptionContext = ({ party, kekId }: KekContext) => ({
  'countersign-party': String(party),
  'countersign-kek': kekId,
});

export function openAws(settings: Settings): KekProvider {
  const { key } = settings;
  const common = (context: KekContext) => ({
    KeyId: key,
    EncryptionAlgorithm: ALGORITHM,
    EncryptionContext: encryptionContext(context),
  });
  return {
    name: `AWS KMS key ${key}`,
    async wrap(secret, context) {
      const { EncryptCommand } = await import('@aws-sdk/client-kms');
      const command = new EncryptCommand({ ...common(context), Plaintext: secret });
      const answer = await ask(settings, (client, abortSignal) =>
        client.send(command, { abortSignal }),
      );
      return Buffer.from(checked(answer, key).CiphertextBlob ?? []).toString('base64');
    },
    async unwrap(wrapped, context) {
      const { DecryptCommand } = await import('@aws-sdk/client-kms');
      const sealed = Buffer.from(wrapped, 'base64');
      const command = new DecryptCommand({ ...common(context), CiphertextBlob: sealed });
      const answer = await ask(settings, (client, abortSignal) =>
        client.send(command, { abortSignal }),
      );
      return checked(answer, key).Plaintext ?? new Uint8Array();
    },
  };
}

interface Answer {
  readonly KeyId?: string | undefined;
  readonly EncryptionAlgorithm?: string | undefined;
}

function checked<Given extends Answer>(answer: Given, key: string): Given {
  if (answer.KeyId !== key) throw new KekError('it answered for another key');
  if (answer.EncryptionAlgorithm !== ALGORITHM) {
    throw new KekError('it answered by another algorithm');
  }
  return answer;
}

async function ask<T>(
  settings: Settings,
  send: (client: KMSClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const client = await openClient(settings);
  try {
    return await inTime((signal) => send(client, signal));
  } catch (error) {
    if (error instanceof KekError) throw error;
    const meaning = MEANINGS.get(error instanceof Error ? error.name : '');
    throw new KekError(meaning ?? `no answer (${reasonOf(error)})`);
  } finally {
    client.destroy();
  }
}

async function openClient({ key, endpoint }: Settings): Promise<KMSClient> {
  const { KMSClient } = await import('@aws-sdk/client-kms');
  const client = new KMSClient({
    region: key.split(':')[3]!,
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: TRIES,
    requestHandler: {
      connectionTimeout: CONNECTED_WITHIN_MS,
      requestTimeout: ANSWER_WITHIN_MS,
      throwOnRequestTimeout: true,
    },
  });
  // whoever sets the environment of the process could name an endpoint as well
  client.middlewareStack.add(
    (next) => (args) => {
      if (!isSafeAddress(args.request as URL)) {
        throw new KekError('its endpoint must be https, or http to this host itself', true);
      }
      return next(args);
    },
    { step: 'build' },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as { body: AsyncIterable<Uint8Array> };
      response.body = Readable.from(bounded(response.body), { objectMode: false });
      return result;
    },
    // before anything has read of it
    { step: 'deserialize', priority: 'low' },
  );
  return client;
}
