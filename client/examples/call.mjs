// One signed request, made by hand with what Node has:
//
//   node client/examples/call.mjs METHOD TARGET [BODY] [--get PATH] [--as FILE]
//
// prints the answer, or what PATH (as `results.0.id`) finds in it. BODY is JSON, `-` for standard input. The caller is the
// administrator whom `npm start` made, or whoever FILE names. COUNTERSIGN_HOME is the folder of the vault, as for `npm start`.
import { createHash, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const HOME = env.COUNTERSIGN_HOME ?? '.countersign';
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { base_url: baseUrl, admin } = readJson(join(HOME, 'dev.json'));

/** `size` bytes, little-endian. */
function little(value, size) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes.subarray(0, size);
}

const field = (text) => [little(Buffer.byteLength(text), 4), Buffer.from(text)];

/** What the service answered, read from JSON. `as`: who asks, by an API key and the file of an Ed25519 key. */
export async function call(method, target, body = '', as = admin) {
  const [path, query = ''] = target.split(/\?(.*)/s);
  const [now, nonce] = [little(Date.now(), 8), randomBytes(8)];
  const fields = [method, path, query, body, as.api_key].flatMap(field);
  const transcript = Buffer.concat([Buffer.from([1]), ...fields, now, nonce]);
  const digest = createHash('sha256').update(transcript).digest();
  const key = createPrivateKey(readFileSync(as.private_key_file));
  const headers = {
    authorization: `ApiKey ${as.api_key}`,
    'x-request-timestamp': now.toString('hex'),
    'x-request-nonce': nonce.toString('hex'),
    'x-request-assertion': sign(null, digest, key).toString('base64url'),
    prefer: 'wait=30', // for what takes its time
  };
  if (body !== '') headers['content-type'] = 'application/json';
  const answer = await fetch(baseUrl + target, { method, headers, ...(body !== '' && { body }) });
  return answer.json();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = { get: { type: 'string' }, as: { type: 'string' } };
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const [method, target, given] = positionals;
  const body = given === '-' ? readFileSync(0, 'utf8') : given;
  const answer = await call(method, target, body, values.as && readJson(values.as));
  const path = values.get?.split('.') ?? [];
  const found = path.reduce((value, name) => value?.[name], answer);
  if (found === undefined) {
    console.error('no such field in', answer);
    process.exitCode = 1;
  } else {
    console.log(typeof found === 'string' ? found : JSON.stringify(found, null, 2));
  }
}
