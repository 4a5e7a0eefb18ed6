/**
 * A fake of AWS KMS, over HTTP on loopback: Encrypt and Decrypt of its JSON protocol, as its official client speaks it.
 * It checks the signature of each request (Signature Version 4), and can lie.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import {
  gcmOpen,
  gcmSeal,
  startFakeHttp,
  type FakeAnswer,
  type FakeHttp,
  type FakeRequest,
} from './fake-http.ts';

type Lie = 'nothing' | 'half' | 'key' | 'algorithm' | 'context';

export interface FakeAwsKms extends FakeHttp {
  readonly keys: readonly [string, string];
  /** What a process has to have in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  lie: Lie;
  /** What it answers instead, by the name of AWS's error. */
  refuses: string | undefined;
  /** Its own rotation: older ones still decrypt. */
  rotate(): void;
}

const [ID, SECRET] = ['AKIAFAKE', 'a secret access key'];
const arnOf = (id: string) => `arn:aws:kms:eu-central-1:111122223333:key/${id}`;

export async function startFakeAwsKms(): Promise<FakeAwsKms> {
  const keys = [arnOf('party-1'), arnOf('party-2')] as const;
  const materials = new Map<string, Buffer[]>(keys.map((key) => [key, [randomBytes(32)]]));
  const http = await startFakeHttp((request) => {
    if (fake.refuses !== undefined) return refusal(fake.refuses);
    if (!isSigned(request)) return refusal('InvalidSignatureException');
    const { KeyId, ...input } = JSON.parse(request.body) as Input;
    const of = materials.get(KeyId);
    if (of === undefined) return refusal('NotFoundException');
    const operation = String(request.headers['x-amz-target']);
    const data = operation === 'TrentService.Encrypt' ? encrypt(of, input) : decrypt(of, input);
    if (data === undefined) return refusal('InvalidCiphertextException');
    const answeredKey = fake.lie === 'key' ? keys[1] : KeyId;
    const EncryptionAlgorithm = fake.lie === 'algorithm' ? 'RSAES_OAEP_SHA_1' : 'SYMMETRIC_DEFAULT';
    return { status: 200, data: { ...data, KeyId: answeredKey, EncryptionAlgorithm } };
  });

  function encrypt(of: readonly Buffer[], input: Omit<Input, 'KeyId'>) {
    const secret = Buffer.from(input.Plaintext ?? '', 'base64');
    const sealed = gcmSeal(of.at(-1)!, secret, aadOf(input));
    return { CiphertextBlob: Buffer.concat([Buffer.of(of.length), sealed]).toString('base64') };
  }

  function decrypt(of: readonly Buffer[], input: Omit<Input, 'KeyId'>) {
    if (fake.lie === 'half' || fake.lie === 'context') {
      return { Plaintext: randomBytes(32).toString('base64') };
    }
    const blob = Buffer.from(input.CiphertextBlob ?? '', 'base64');
    const key = of[(blob[0] ?? 0) - 1];
    const opened = key && gcmOpen(key, blob.subarray(1), aadOf(input));
    return opened && { Plaintext: opened.toString('base64') };
  }

  const fake: FakeAwsKms = Object.assign(http, {
    keys,
    environment: { AWS_ACCESS_KEY_ID: ID, AWS_SECRET_ACCESS_KEY: SECRET },
    lie: 'nothing' as Lie,
    refuses: undefined as string | undefined,
    rotate: () => materials.forEach((of) => of.push(randomBytes(32))),
  });
  return fake;
}

interface Input {
  readonly KeyId: string;
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
}

const aadOf = ({ EncryptionContext = {} }: Pick<Input, 'EncryptionContext'>) =>
  Buffer.from(JSON.stringify(EncryptionContext, Object.keys(EncryptionContext).toSorted()));

const refusal = (name: string): FakeAnswer => ({
  status: name === 'ThrottlingException' || name !== 'KMSInternalException' ? 400 : 500,
  data: { __type: name, message: 'User: arn:aws:iam::111122223333:user/somebody is a stranger' },
});

const sha256 = (data: string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) =>
  createHmac('sha256', key).update(data).digest();

/** As https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html has it. */
function isSigned({ method, url, headers, body }: FakeRequest): boolean {
  const [, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=AKIAFAKE\/([^,]+), SignedHeaders=([^,]+), Signature=(.+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, url, '', lines.join(''), names, sha256(body)].join('\n');
  const date = String(headers['x-amz-date']);
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`) as Buffer;
  return hmac(key, toSign).toString('hex') === signature;
}
