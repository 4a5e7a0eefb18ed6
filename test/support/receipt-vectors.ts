/**
 * What `test/vectors/receipts.json` holds: receipts of trees of several sizes by keys that everybody knows, each with the
 * bytes on the way, and receipts that do not hold. The file was made once; this says how, and a test that it still comes
 * out the same.
 */
import { createHmac, createPrivateKey, sign, type KeyObject } from 'node:crypto';
import {
  contributionLeaf,
  receiptView,
  signatureLeaf,
  type ProvenReceipt,
} from '@countersign/api/receipt.js';
import { plantTree, type ReceiptTree } from '@countersign/api/signed-tree.js';
import type { ReceiptView } from '@countersign/api/signing-schema.js';
import { toHex } from '@countersign/core/bytes.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { leafHash, rootOfPath } from '@countersign/core/merkle-tree.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { proveBatch, type UnprovenReceipt } from './receipt-trees.ts';

type Pair = readonly [PartyNumber, PartyNumber];

export interface ReceiptVectors {
  readonly about: string;
  /** As `countersign genesis` prints it, as far as receipts go. */
  readonly genesis: Genesis;
  readonly other_genesis: Genesis;
  readonly key: { readonly id: string; readonly public_key: string };
  readonly good: readonly GoodReceipt[];
  readonly bad: readonly BadReceipt[];
}

interface Genesis {
  readonly genesis_hash: string;
  readonly parties: readonly { readonly party: number; readonly identity_public_key: string }[];
}

export interface GoodReceipt {
  readonly name: string;
  readonly receipt: ReceiptView;
  readonly message_hex: string;
  readonly signature_hex: string;
  /** The lead's, then its partner's. */
  readonly leaf_hex: readonly string[];
  readonly root_hex: readonly string[];
  readonly tree_message_hex: readonly string[];
}

export interface BadReceipt {
  readonly name: string;
  readonly receipt: ReceiptView;
}

/** PKCS#8 of an Ed25519 key (RFC 8410), up to its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private key is the SHA-256 of its name. */
export function knownKey(name: string): KeyObject {
  const key = Buffer.concat([PKCS8, sha256(name)]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

function publicKeyOf(key: KeyObject): string {
  return Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url').toString('base64');
}

const GENESIS_HASH = toHex(sha256('a genesis'));
const KEY_ID = uuidFromHash(sha256('a key'));
const signingKey = knownKey('the key of a wallet');
const partyKey = (party: PartyNumber) => knownKey(`party ${party}`);

function genesisOf(hash: string, nameOf: (party: PartyNumber) => string): Genesis {
  const parties = PARTY_NUMBERS.map((party) => ({
    party,
    identity_public_key: publicKeyOf(knownKey(nameOf(party))),
  }));
  return { genesis_hash: hash, parties };
}

interface Signed {
  readonly message: Buffer;
  readonly signature: Buffer;
}

function signOne(name: string): Signed {
  const message = Buffer.from(`message of ${name}`);
  return { message, signature: sign(null, message, signingKey) };
}

function receiptOf(name: string, { message, signature }: Signed, parties: Pair): UnprovenReceipt {
  const id = (what: string) => uuidFromHash(sha256(what));
  return {
    receipt: {
      requestId: id(name),
      keyId: KEY_ID,
      messageSha256: toHex(sha256(message)),
      policy: { id: id('a policy'), version: 3, ruleId: id('a rule') },
      ledgerSeq: 4_294_967_296 + 17,
      ledgerHash: toHex(sha256('the head')),
      rulesVersion: 2,
      parties,
      signedAt: Date.UTC(2026, 10, 22, 12, 0, 0, 123),
    },
    signatureSha256: sha256(signature),
    answerSha256: sha256(`answer of ${name}`),
  };
}

function signAs(party: PartyNumber, message: Buffer): Buffer {
  return sign(null, message, partyKey(party));
}

const nameIn = (size: number, index: number) => `leaf ${index} of ${size}`;

function batchOf(size: number, parties: Pair): ProvenReceipt[] {
  const batch = Array.from({ length: size }, (_, index) => {
    const name = nameIn(size, index);
    return receiptOf(name, signOne(name), parties);
  });
  return proveBatch(batch, GENESIS_HASH, signAs);
}

function goodReceipt(name: string, proven: ProvenReceipt, signed: Signed): GoodReceipt {
  const leaves = [signatureLeaf(proven.receipt, proven), contributionLeaf(proven.receipt)];
  const roots = leaves.map((leaf, at) => toHex(rootOfPath(leafHash(leaf), proven.proofs[at]!)!));
  return {
    name,
    receipt: receiptView(proven),
    message_hex: toHex(signed.message),
    signature_hex: toHex(signed.signature),
    leaf_hex: leaves.map(toHex),
    root_hex: roots,
    tree_message_hex: roots.map((root, at) => treeMessageHex(proven, at, root)),
  };
}

/** By the bytes that docs/reference/receipts.md names, apart from the code that signs. */
function treeMessageHex({ receipt, proofs }: ProvenReceipt, at: number, root: string): string {
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const title = Buffer.from('countersign receipt tree v1');
  const hash = Buffer.from(GENESIS_HASH);
  const head = [u32(title.length), title, u32(hash.length), hash, Buffer.of(receipt.parties[at]!)];
  return toHex(Buffer.concat([...head, u32(proofs[at]!.size), Buffer.from(root, 'hex')]));
}

/** Which leaves of which trees, and by whom. */
const GOOD: readonly (readonly [size: number, indexes: readonly number[], parties: Pair])[] = [
  [1, [0], [1, 2]],
  [2, [0, 1], [2, 3]],
  [3, [0, 2], [3, 1]],
  [7, [0, 3, 6], [1, 3]],
  [64, [0, 31, 63], [2, 1]],
];

function goodReceipts(): GoodReceipt[] {
  const ofTrees = GOOD.flatMap(([size, indexes, parties]) => {
    const batch = batchOf(size, parties);
    return indexes.map((index) => {
      const name = nameIn(size, index);
      return goodReceipt(name, batch[index]!, signOne(name));
    });
  });
  const message = Buffer.from('message for an exchange');
  const signature = createHmac('sha256', 'a secret').update(message).digest();
  const hmac = receiptOf('an HMAC', { message, signature }, [1, 2]);
  const [proven] = proveBatch([hmac], GENESIS_HASH, signAs);
  return [...ofTrees, goodReceipt('an HMAC', proven!, { message, signature })];
}

/** One that names approvals, which the vectors of before have none of. */
export function approvedReceipt(): ReceiptView {
  const one = receiptOf('an approved one', signOne('an approved one'), [2, 1]);
  const approvals = ['an approver', 'another'].map((name) => ({
    userId: uuidFromHash(sha256(name)),
    entryHash: toHex(sha256(`entry of ${name}`)),
  }));
  const [proven] = proveBatch(
    [{ ...one, receipt: { ...one.receipt, approvals } }],
    GENESIS_HASH,
    signAs,
  );
  return receiptView(proven!);
}

/** Trees of hostile parties: each signs the leaves that it is given. */
function hostile(
  parties: Pair,
  leavesOf: (one: UnprovenReceipt) => readonly Buffer[],
): ReceiptView {
  const name = 'a lie';
  const one = receiptOf(name, signOne(name), parties);
  const trees = leavesOf(one).map((leaf, at) => plantTree(parties[at]!, [leaf], GENESIS_HASH));
  const proofOf = (tree: ReceiptTree, at: number) =>
    tree.proofOf(0, signAs(parties[at]!, tree.message));
  return receiptView({ ...one, proofs: [proofOf(trees[0]!, 0), proofOf(trees[1]!, 1)] });
}

function hostileReceipts(): BadReceipt[] {
  const ofLead = (one: UnprovenReceipt) => signatureLeaf(one.receipt, one);
  const ofPartner = (one: UnprovenReceipt) => contributionLeaf(one.receipt);
  const lie = (name: string, parties: Pair, leaves: (one: UnprovenReceipt) => Buffer[]) => ({
    name,
    receipt: hostile(parties, leaves),
  });
  return [
    lie('one party in both roles', [1, 1], (one) => [ofLead(one), ofPartner(one)]),
    lie('two contributions and no lead', [1, 2], (one) => [ofPartner(one), ofPartner(one)]),
    lie('two leads and no partner', [1, 2], (one) => [ofLead(one), ofLead(one)]),
    lie('the roles exchanged', [1, 2], (one) => [ofPartner(one), ofLead(one)]),
    lie('a party that there is not', [1, 4 as PartyNumber], (one) => [ofLead(one), ofPartner(one)]),
  ];
}

type Change = readonly [name: string, change: (view: Changing) => unknown];
/** A copy to be spoilt. */
// oxlint-disable-next-line no-explicit-any -- what is spoilt has no type any more
type Changing = Record<string, any>;

const flipped = (base64: string) => {
  const bytes = Buffer.from(base64, 'base64');
  bytes[9]! ^= 1;
  return bytes.toString('base64');
};
const otherHash = toHex(sha256('another'));

/** Of the first leaf of three: the one whose path would fit a tree of four as well. */
const CHANGES: readonly Change[] = [
  ['another request', (view) => (view['request_id'] = uuidFromHash(sha256('another')))],
  ['another key', (view) => (view['key_id'] = uuidFromHash(sha256('another')))],
  ['another message', (view) => (view['message_sha256'] = otherHash)],
  [
    'the message hash in capitals',
    (view) => (view['message_sha256'] = view['message_sha256'].toUpperCase()),
  ],
  ['another signature hash', (view) => (view['signature_sha256'] = otherHash)],
  ['a signature hash of 31 bytes', (view) => (view['signature_sha256'] = 'ab'.repeat(31))],
  [
    'the signature hash in capitals',
    (view) => (view['signature_sha256'] = view['signature_sha256'].toUpperCase()),
  ],
  ['another answer hash', (view) => (view['answer_sha256'] = otherHash)],
  ['another policy', (view) => (view['policy'].id = uuidFromHash(sha256('another')))],
  ['another version of the policy', (view) => (view['policy'].version = 4)],
  ['a version beyond 32 bits', (view) => (view['policy'].version = 4_294_967_296 + 3)],
  ['another rule', (view) => (view['policy'].rule_id = uuidFromHash(sha256('another')))],
  ['approvals, which nobody signed', (view) => view['approvals'].push('somebody')],
  ['another ledger entry', (view) => (view['ledger_seq'] -= 1)],
  ['a ledger entry cut to 32 bits', (view) => (view['ledger_seq'] = 17)],
  ['another history', (view) => (view['ledger_hash'] = otherHash)],
  ['another version of the rules', (view) => (view['rules_version'] = 1)],
  ['another partner', (view) => (view['parties'] = [3, 2])],
  ['three parties', (view) => view['parties'].push(2)],
  ['another time', (view) => (view['signed_at'] = '2026-11-22T12:00:00.124Z')],
  ['the time in another spelling', (view) => (view['signed_at'] = '2026-11-22T13:00:00.123+01:00')],
  ['a time finer than was signed', (view) => (view['signed_at'] = '2026-11-22T12:00:00.1235Z')],
  ['no signature of the partner', (view) => view['signatures'].pop()],
  ['a third signature', (view) => view['signatures'].push(view['signatures'][1])],
  ['signatures in the other order', (view) => view['signatures'].reverse()],
  ['another signature of the lead', (view) => spoil(view, 0, 'signature', flipped)],
  ['another signature of the partner', (view) => spoil(view, 1, 'signature', flipped)],
  ['a signature of 63 bytes', (view) => spoil(view, 1, 'signature', () => 'AAAA'.repeat(21))],
  ['a signature with more than base64', (view) => spoil(view, 0, 'signature', (one) => `${one}\n`)],
  ['another place of the lead’s leaf', (view) => spoil(view, 0, 'leaf_index', () => 1)],
  ['a place outside of the tree', (view) => spoil(view, 1, 'leaf_index', () => 3)],
  ['another size, to the same root', (view) => spoil(view, 0, 'tree_size', () => 4)],
  ['another path', (view) => spoil(view, 1, 'inclusion_path', (path) => path.with(0, otherHash))],
  [
    'a path in capitals',
    (view) =>
      spoil(view, 0, 'inclusion_path', (path) => path.map((one: string) => one.toUpperCase())),
  ],
  ['a path without its end', (view) => spoil(view, 1, 'inclusion_path', (path) => path.slice(1))],
  [
    'a path with one more',
    (view) => spoil(view, 0, 'inclusion_path', (path) => [...path, otherHash]),
  ],
];

// oxlint-disable-next-line no-explicit-any -- see Changing
function spoil(view: Changing, at: number, name: string, change: (value: any) => unknown): void {
  const given = view['signatures'][at];
  given[name] = change(given[name]);
}

function badReceipts(good: readonly GoodReceipt[]): BadReceipt[] {
  const { receipt } = good.find(({ name }) => name === nameIn(3, 0))!;
  const neighbour = good.find(({ name }) => name === nameIn(3, 2))!.receipt;
  const changed = CHANGES.map(([name, change]) => {
    const view = structuredClone(receipt);
    change(view);
    return { name, receipt: view };
  });
  const { signatures } = neighbour;
  const swapped = { name: 'the proofs of another leaf', receipt: { ...receipt, signatures } };
  return [...changed, swapped, ...hostileReceipts()];
}

export function makeReceiptVectors(): ReceiptVectors {
  const good = goodReceipts();
  return {
    about:
      'docs/reference/receipts.md: receipts that hold for `genesis` and for no other, and receipts that do not hold. Private keys are the SHA-256 of a name. Made once.',
    genesis: genesisOf(GENESIS_HASH, (party) => `party ${party}`),
    other_genesis: genesisOf(toHex(sha256('another genesis')), (party) => `party ${party}`),
    key: { id: KEY_ID, public_key: publicKeyOf(signingKey) },
    good,
    bad: badReceipts(good),
  };
}
