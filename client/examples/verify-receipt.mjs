/** Checks receipts with Node alone: `node verify-receipt.mjs genesis.json receipt.json ...` (docs/reference/receipts.md) */
import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();

function uint(value, size) {
  assert(
    Number.isSafeInteger(value) && value >= 0 && value < 256 ** size,
    'a number that does not fit',
  );
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes.subarray(0, size);
}
const text = (value) => Buffer.concat([uint(Buffer.byteLength(value), 4), Buffer.from(value)]);
const hash = (hex) => (assert.match(hex, /^[0-9a-f]{64}$/), Buffer.from(hex, 'hex'));

const moment = (written) => (
  assert.equal(new Date(written).toISOString(), written),
  uint(Date.parse(written), 8)
);
const priced = ({ asset, price, at, relay }) =>
  Buffer.concat([text(asset), text(price), moment(at), text(relay)]);

function bodyOf({ policy, parties, approvals, prices, ...receipt }) {
  return Buffer.concat([
    ...[
      text(receipt.request_id),
      text(receipt.key_id),
      text(receipt.message_sha256),
      text(policy.id),
    ],
    ...[
      uint(policy.version, 4),
      text(policy.rule_id),
      uint(receipt.ledger_seq, 8),
      text(receipt.ledger_hash),
    ],
    ...[
      uint(receipt.rules_version, 4),
      uint(parties[0], 1),
      uint(parties[1], 1),
      moment(receipt.signed_at),
    ],
    ...(approvals.length > 0 || prices ? [uint(approvals.length, 1)] : []),
    ...approvals.flatMap((one) => [text(one.user_id), text(one.entry_hash)]),
    ...(prices ? [uint(prices.length, 4), ...prices.map(priced)] : []),
  ]);
}

function rootOf(leaf, { leaf_index: index, tree_size: size, inclusion_path: path }) {
  assert(index >= 0 && index < size, 'no place in the tree');
  let [node, last, root] = [index, size - 1, sha256(Buffer.of(0), leaf)];
  for (const beside of path.map(hash)) {
    assert(last > 0, 'the path is too long');
    const isLeft = node % 2 === 0 && node !== last;
    root = isLeft ? sha256(Buffer.of(1), root, beside) : sha256(Buffer.of(1), beside, root);
    while (!isLeft && node % 2 === 0 && node > 0) [node, last] = [node / 2, Math.floor(last / 2)];
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  assert(last === 0, 'the path is too short');
  return root;
}

function verifyReceipt(receipt, genesis) {
  const { parties, signatures } = receipt;
  assert(parties.length === 2 && parties[0] !== parties[1] && signatures.length === 2);
  const [body, version] = [bodyOf(receipt), receipt.prices ? 'v2' : 'v1'];
  const hashes = [hash(receipt.signature_sha256), hash(receipt.answer_sha256)];
  const leaves = [
    [text(`countersign signature ${version}`), body, ...hashes],
    [text(`countersign contribution ${version}`), body],
  ];
  for (const [at, leaf] of leaves.entries()) {
    const proof = signatures[at];
    assert.equal(proof.party, parties[at]);
    const row = genesis.parties.find(({ party }) => party === proof.party);
    const x = Buffer.from(row.identity_public_key, 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const head = [
      text('countersign receipt tree v1'),
      text(genesis.genesis_hash),
      uint(proof.party, 1),
    ];
    const message = Buffer.concat([
      ...head,
      uint(proof.tree_size, 4),
      rootOf(Buffer.concat(leaf), proof),
    ]);
    const signature = Buffer.from(proof.signature, 'base64');
    assert(
      signature.toString('base64') === proof.signature && verify(null, message, key, signature),
    );
  }
}

const [genesis, ...receipts] = process.argv
  .slice(2)
  .map((file) => JSON.parse(readFileSync(file, 'utf8')));
for (const [at, receipt] of receipts.entries()) {
  try {
    verifyReceipt(receipt, genesis);
    console.log(`${process.argv[at + 3]}: holds`);
  } catch {
    console.log(`${process.argv[at + 3]}: does not hold`);
    process.exitCode = 1;
  }
}
