/** The guide to signing a request: one page without scripts, made from the example that the tests check. */
import { SIGNING_EXAMPLE } from '@countersign/api/signing-example.js';

export interface SigningExample {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly credential: string;
  readonly timestampMs: number;
  readonly timestampHeader: string;
  readonly nonceHeader: string;
  readonly digestHex: string;
  readonly privateKeyHex: string;
  readonly publicKeyHex: string;
  readonly assertion: string;
}

interface TranscriptPart {
  readonly name: string;
  /** The value as a reader would write it. */
  readonly value: string;
  readonly bytes: Buffer;
  /** Whether its length comes first, 4 bytes, little-endian. */
  readonly hasLength: boolean;
}

/** The parts of the transcript in order; the hash covers their bytes. */
export function transcriptParts(example: SigningExample): TranscriptPart[] {
  const field = (name: string, value: string) => ({
    name,
    value,
    bytes: Buffer.from(value, 'utf8'),
    hasLength: true,
  });
  const fixed = (name: string, value: string, hex: string) => ({
    name,
    value,
    bytes: Buffer.from(hex, 'hex'),
    hasLength: false,
  });
  return [
    fixed('version', '1', '01'),
    field('method', example.method),
    field('path', example.path),
    field('query', example.query),
    field('body', example.body),
    field('credential', example.credential),
    fixed('timestamp', String(example.timestampMs), example.timestampHeader),
    fixed('nonce', example.nonceHeader, example.nonceHeader),
  ];
}

export function transcriptHex(example: SigningExample): string {
  return transcriptParts(example)
    .map((part) => lengthHex(part) + part.bytes.toString('hex'))
    .join('');
}

function lengthHex({ hasLength, bytes }: TranscriptPart): string {
  if (!hasLength) return '';
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return length.toString('hex');
}

/** A program that signs the example and prints the request's headers as JSON. */
export function signingProgram(example: SigningExample): string {
  return `import { createHash, createPrivateKey, sign } from 'node:crypto';

const method = '${example.method}';
const path = '${example.path}';
const query = '${example.query}'; // empty where there is none
const body = Buffer.from('${example.body}'); // the very bytes that are sent
const credential = '${example.credential}'; // your API key
const timestamp = Buffer.alloc(8);
timestamp.writeBigUInt64LE(${example.timestampMs}n); // BigInt(Date.now())
const nonce = Buffer.from('${example.nonceHeader}', 'hex'); // randomBytes(8), new for every request

const hash = createHash('sha256').update(Buffer.from([1]));
for (const field of [method, path, query, body, credential].map((value) => Buffer.from(value))) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(field.length);
  hash.update(length).update(field);
}
const digest = hash.update(timestamp).update(nonce).digest();

// your key; here the 32 bytes of the test key in a PKCS #8 envelope (RFC 8410)
const privateKey = createPrivateKey({
  key: Buffer.from('302e020100300506032b657004220420${example.privateKeyHex}', 'hex'),
  format: 'der',
  type: 'pkcs8',
});

console.log(JSON.stringify({
  'authorization': \`ApiKey \${credential}\`,
  'x-request-nonce': nonce.toString('hex'),
  'x-request-timestamp': timestamp.toString('hex'),
  'x-request-assertion': sign(null, digest, privateKey).toString('base64url'),
}, null, 2));
`;
}

const STYLE = `body { font: 16px/1.5 sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1b1f24; }
code, pre { font: 14px/1.45 monospace; overflow-wrap: anywhere; }
pre { background: #f4f5f7; padding: 1rem; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #d5d9de; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
td:first-child code { white-space: nowrap; }
@media (max-width: 640px) {
  table { display: block; overflow-x: auto; }
  td code { overflow-wrap: normal; }
}
`;

/** The page and its files, by path. */
export function createSigningPage(): Readonly<
  Record<string, { readonly contentType: string; readonly body: string }>
> {
  return {
    '/docs/signing-requests': {
      contentType: 'text/html; charset=utf-8',
      body: pageOf(SIGNING_EXAMPLE),
    },
    '/docs/signing-requests.css': { contentType: 'text/css; charset=utf-8', body: STYLE },
  };
}

function pageOf(example: SigningExample): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Signing a request</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/signing-requests.css">
  </head>
  <body>
    <h1>Signing a request</h1>
    <p>A request that changes or signs something, and every request with a body, carries four headers. A machine user
      signs the SHA-256 digest of a <em>transcript</em> of the request with its Ed25519 key. A read needs
      <code>authorization</code> alone; where it carries the other headers all the same, they are checked.
      Every operation is in the <a href="/docs">API reference</a>.</p>
${headerSection()}
${exampleSection(example)}
${mistakeSection()}
  </body>
</html>
`;
}

function headerSection(): string {
  return `    <h2>The four headers</h2>
    <table>
      <tr><th>Header</th><th>Value</th></tr>
      <tr><td><code>authorization</code></td><td><code>ApiKey</code>, a space, and the API key that was shown when the user was created or the key last rotated.</td></tr>
      <tr><td><code>x-request-nonce</code></td><td>8 random bytes as 16 lower-case hex characters. New for every request, retries included: a nonce is accepted once.</td></tr>
      <tr><td><code>x-request-timestamp</code></td><td>Milliseconds since the Unix epoch as an unsigned 64-bit integer, little-endian, as 16 lower-case hex characters. At most 5 minutes from the time of the service, which <code>/v1/info</code> tells.</td></tr>
      <tr><td><code>x-request-assertion</code></td><td>The Ed25519 signature (RFC 8032) over the 32 bytes of the digest, as base64url without padding: 86 characters.</td></tr>
    </table>`;
}

function exampleSection(example: SigningExample): string {
  const rows = transcriptParts(example).map(
    (part) =>
      `      <tr><td>${part.name}</td><td>${code(part.value)}</td><td>${code(lengthHex(part))}</td><td>${code(part.bytes.toString('hex'))}</td></tr>`,
  );
  return `    <h2>The transcript, worked out</h2>
    <p>One version byte; five fields, each after its length in bytes as 4 bytes, little-endian; then the 8 bytes of the
      timestamp and the 8 bytes of the nonce, just as their headers write them. Path and query are the raw bytes of the
      request line before and after the first <code>?</code>, not decoded and not normalised; query and body are
      empty where there is none. The credential is the value of <code>authorization</code> without its scheme and without
      white space around it. For this request:</p>
    <pre>${escapeHtml(requestOf(example))}</pre>
    <table>
      <tr><th>Part</th><th>Value</th><th>Length (hex)</th><th>Bytes (hex)</th></tr>
${rows.join('\n')}
    </table>
    <h3>Transcript</h3>
    <pre>${transcriptHex(example)}</pre>
    <h3>Digest: SHA-256 of the transcript</h3>
    <pre>${example.digestHex}</pre>
    <h3>Key: TEST 1 of RFC 8032, section 7.1, known to everybody and of use for nothing else</h3>
    <pre>private ${example.privateKeyHex}
public  ${example.publicKeyHex}</pre>
    <h3>Assertion: signature over the digest</h3>
    <pre>${example.assertion}</pre>
    <h2>A program that computes it</h2>
    <pre>${escapeHtml(signingProgram(example))}</pre>`;
}

function requestOf(example: SigningExample): string {
  return `${example.method} ${example.path}?${example.query} HTTP/1.1
authorization: ApiKey ${example.credential}
x-request-nonce: ${example.nonceHeader}
x-request-timestamp: ${example.timestampHeader}
x-request-assertion: ${example.assertion}
content-type: application/json

${example.body}`;
}

function mistakeSection(): string {
  return `    <h2>Where the digest differs</h2>
    <ul>
      <li>The HTTP library encoded or sorted the query after it was signed, or decoded the path.</li>
      <li>The body was serialised a second time: sign the bytes that are sent.</li>
      <li>A length counts characters: it counts bytes.</li>
      <li>The timestamp is in seconds, or big-endian.</li>
      <li>The digest was signed as hex text: sign its 32 bytes.</li>
    </ul>`;
}

function code(text: string): string {
  return text === '' ? '' : `<code>${escapeHtml(text)}</code>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
