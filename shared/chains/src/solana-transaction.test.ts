import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

import { beforeAll, describe, expect, test } from '@jest/globals';
import { base58 } from '@scure/base';
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getAddressDecoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  getTransactionEncoder,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes,
  verifySignature,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import fc from 'fast-check';

import {
  attachSolanaSignature,
  decodeSolanaTransaction,
  type DecodedSolanaTransaction,
} from './solana-transaction.js';
import { howMany } from '../../../test/support/how-many.js';

const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const BLOCKHASH = blockhash('GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W');

const seedOf = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const accountOf = (fill: number): Address => getAddressDecoder().decode(seedOf(fill));

let vault: KeyPairSigner;
let sponsor: KeyPairSigner;
let partner: KeyPairSigner;

beforeAll(async () => {
  vault = await createKeyPairSignerFromPrivateKeyBytes(seedOf(1));
  sponsor = await createKeyPairSignerFromPrivateKeyBytes(seedOf(2));
  partner = await createKeyPairSignerFromPrivateKeyBytes(seedOf(3));
});

// --- transactions built by the chain's own kit ---

/** System program transfer: u32 2, u64 lamports, both little-endian. */
function transfer(from: Address, to: Address, lamports: number): Instruction {
  const data = new Uint8Array(12);
  const view = new DataView(data.buffer);
  view.setUint32(0, 2, true);
  view.setBigUint64(4, BigInt(lamports), true);
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER },
      { address: to, role: AccountRole.WRITABLE },
    ],
    data,
  };
}

function memo(text: string, ...signers: Address[]): Instruction {
  return {
    programAddress: MEMO_PROGRAM,
    accounts: signers.map((signer) => ({ address: signer, role: AccountRole.READONLY_SIGNER })),
    data: new TextEncoder().encode(text),
  };
}

function messageOf<Version extends 'legacy' | 0>(
  version: Version,
  feePayer: Address,
  instructions: Instruction[],
) {
  return pipe(
    createTransactionMessage({ version: version as 0 }),
    (message) => setTransactionMessageFeePayer(feePayer, message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: BLOCKHASH, lastValidBlockHeight: 1n },
        message,
      ),
    (message) => appendTransactionMessageInstructions(instructions, message),
  );
}

type Compilable = Parameters<typeof compileTransaction>[0];

function encode(message: Compilable): Uint8Array {
  return Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message)));
}

function build(version: 'legacy' | 0, feePayer: Address, instructions: Instruction[]): Uint8Array {
  return encode(messageOf(version, feePayer, instructions));
}

function buildWithLookupTable(): Uint8Array {
  const instruction: Instruction = {
    programAddress: TOKEN_PROGRAM,
    accounts: [
      { address: vault.address, role: AccountRole.WRITABLE_SIGNER },
      { address: accountOf(20), role: AccountRole.WRITABLE },
      { address: accountOf(21), role: AccountRole.READONLY },
    ],
    data: Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0, 0),
  };
  const message = messageOf(0, vault.address, [instruction]);
  return encode(
    compressTransactionMessageUsingAddressLookupTables(message, {
      [accountOf(30)]: [accountOf(21), accountOf(20)],
    }),
  );
}

function decodeOrFail(wire: Uint8Array): DecodedSolanaTransaction {
  const result = decodeSolanaTransaction(wire);
  if (result.outcome !== 'decoded') {
    throw new Error(`undecodable: ${result.reason}`);
  }
  return result;
}

// --- transactions built byte by byte, to break one rule at a time ---

interface RawInstruction {
  program: number;
  accounts?: number[];
  data?: number[];
}

interface RawTransaction {
  version: 'legacy' | 0;
  signatures: number;
  header: [number, number, number];
  /** Every account is one byte repeated. */
  accounts: number[];
  instructions: RawInstruction[];
  lookups?: { table: number; writable: number[]; readonly: number[] }[];
}

const count = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, value >> 7];
const counted = (bytes: number[]): number[] => [...count(bytes.length), ...bytes];
const repeated = (fill: number, length: number): number[] => Array<number>(length).fill(fill);

function rawMessage(raw: RawTransaction): number[] {
  const lookups = raw.lookups ?? [];
  return [
    ...(raw.version === 0 ? [0x80] : []),
    ...raw.header,
    ...count(raw.accounts.length),
    ...raw.accounts.flatMap((fill) => repeated(fill, 32)),
    ...repeated(0xbb, 32),
    ...count(raw.instructions.length),
    ...raw.instructions.flatMap(({ program, accounts = [], data = [] }) => [
      program,
      ...counted(accounts),
      ...counted(data),
    ]),
    ...(raw.version === 0
      ? [
          ...count(lookups.length),
          ...lookups.flatMap(({ table, writable, readonly }) => [
            ...repeated(table, 32),
            ...counted(writable),
            ...counted(readonly),
          ]),
        ]
      : []),
  ];
}

function rawWire(raw: RawTransaction): Uint8Array {
  return Uint8Array.from([
    ...count(raw.signatures),
    ...repeated(0, raw.signatures * 64),
    ...rawMessage(raw),
  ]);
}

const PLAIN: RawTransaction = {
  version: 'legacy',
  signatures: 2,
  header: [2, 1, 1],
  accounts: [11, 12, 13, 14],
  instructions: [{ program: 3, accounts: [0, 1, 2], data: [1, 2, 3] }],
};

const PLAIN_V0: RawTransaction = {
  ...PLAIN,
  version: 0,
  instructions: [{ program: 3, accounts: [0, 4, 5], data: [] }],
  lookups: [{ table: 40, writable: [7], readonly: [9] }],
};

// --- an independent reader, written from the wire format alone ---

interface ReferenceView {
  version: 'legacy' | 0;
  messageHex: string;
  signers: string[];
  programs: string[];
  usesLookupTables: boolean;
}

class Cursor {
  readonly bytes: Uint8Array;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  take(length: number): Uint8Array {
    if (this.offset + length > this.bytes.length) {
      throw new Error('end of bytes');
    }
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** Compact-u16. Nothing that fits 1232 bytes needs the third byte. */
  count(): number {
    const low = this.byte();
    if (low < 0x80) {
      return low;
    }
    const high = this.byte();
    if (high === 0 || high >= 0x80) {
      throw new Error('over-long count');
    }
    return (low & 0x7f) | (high << 7);
  }

  list<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.count() }, read);
  }
}

function must(condition: boolean): void {
  if (!condition) {
    throw new Error('rule broken');
  }
}

function readByHand(wire: Uint8Array): ReferenceView | undefined {
  try {
    return readByHandOrThrow(wire);
  } catch {
    return undefined;
  }
}

function readByHandOrThrow(wire: Uint8Array): ReferenceView {
  must(wire.length <= 1232);
  const cursor = new Cursor(wire);
  // in hex, as good as base58 for telling one from another; base58 costs more than all the rest
  const readAddress = (): string => Buffer.from(cursor.take(32)).toString('hex');
  const addressOf = (hex = ''): string => base58.encode(Buffer.from(hex, 'hex'));
  const signatures = cursor.list(() => cursor.take(64));
  const message = wire.subarray(cursor.offset);
  const isVersioned = (message[0] ?? 0) >= 0x80;
  must(!isVersioned || cursor.byte() === 0x80);
  const [signers, readonlySigners, readonlyOthers] = [cursor.byte(), cursor.byte(), cursor.byte()];
  const accounts = cursor.list(readAddress);
  cursor.take(32);
  const instructions = cursor.list(() => ({
    program: cursor.byte(),
    accounts: cursor.list(() => cursor.byte()),
    data: cursor.list(() => cursor.byte()),
  }));
  const lookups = isVersioned
    ? cursor.list(() => ({
        table: readAddress(),
        entries: [cursor.list(() => cursor.byte()), cursor.list(() => cursor.byte())].flat(),
      }))
    : [];
  must(cursor.offset === wire.length);
  const loaded = lookups.flatMap(({ table, entries }) =>
    entries.map((entry) => `${table} ${entry}`),
  );
  const total = accounts.length + loaded.length;
  must(signatures.length === signers && readonlySigners < signers);
  must(signers + readonlyOthers <= accounts.length && total <= 256);
  must(new Set([...accounts, ...loaded]).size === total);
  must(lookups.every(({ entries }) => entries.length > 0));
  must(instructions.every(({ program }) => program > 0 && program < accounts.length));
  must(instructions.every((instruction) => instruction.accounts.every((index) => index < total)));
  return {
    version: isVersioned ? 0 : 'legacy',
    messageHex: Buffer.from(message).toString('hex'),
    signers: accounts.slice(0, signers).map(addressOf),
    programs: instructions.map(({ program }) => addressOf(accounts[program])),
    usesLookupTables: lookups.length > 0,
  };
}

/** The decoder and the independent reader agree, on the verdict and on every field. */
function expectSameReading(wire: Uint8Array): void {
  const result = decodeSolanaTransaction(wire);
  const reference = readByHand(wire);
  if (result.outcome === 'undecodable') {
    expect(reference).toBeUndefined();
    return;
  }
  expect({
    version: result.version,
    messageHex: Buffer.from(result.message).toString('hex'),
    signers: result.requiredSigners,
    programs: result.programIds,
    usesLookupTables: result.usesLookupTables,
  }).toEqual(reference);
  expect(result.feePayer).toBe(reference?.signers[0]);
  expect(result.signatures).toHaveLength(result.requiredSigners.length);
}

describe.each(['legacy', 0] as const)('a transaction of version %s', (version) => {
  test('is decoded into what the kit put in', () => {
    const wire = build(version, vault.address, [transfer(vault.address, accountOf(9), 5000)]);
    const compiled = getTransactionDecoder().decode(wire);
    expect(decodeOrFail(wire)).toEqual({
      outcome: 'decoded',
      message: Uint8Array.from(compiled.messageBytes),
      requiredSigners: [vault.address],
      signatures: [undefined],
      version,
      feePayer: vault.address,
      programIds: [SYSTEM_PROGRAM],
      instructions: [
        {
          programId: SYSTEM_PROGRAM,
          accounts: [vault.address, accountOf(9)],
          data: Uint8Array.from([2, 0, 0, 0, 136, 19, 0, 0, 0, 0, 0, 0]),
        },
      ],
      usesLookupTables: false,
    });
  });

  test('names signers in the order of their slots, with the signatures already there', async () => {
    const unsigned = compileTransaction(
      messageOf(version, sponsor.address, [
        transfer(vault.address, accountOf(9), 5000),
        memo('settlement 17', partner.address),
      ]),
    );
    const bySponsor = await partiallySignTransaction([sponsor.keyPair], unsigned);
    const decoded = decodeOrFail(Uint8Array.from(getTransactionEncoder().encode(bySponsor)));
    expect(decoded.requiredSigners).toEqual(Object.keys(unsigned.signatures));
    expect(new Set(decoded.requiredSigners)).toEqual(
      new Set([sponsor.address, vault.address, partner.address]),
    );
    expect(decoded.signatures).toEqual(
      decoded.requiredSigners.map((signer) =>
        signer === sponsor.address ? bySponsor.signatures[sponsor.address] : undefined,
      ),
    );
  });

  test('says who pays the fee, even when somebody else asks', () => {
    const decoded = decodeOrFail(
      build(version, vault.address, [transfer(partner.address, accountOf(9), 1)]),
    );
    expect(decoded.feePayer).toBe(vault.address);
    expect(decoded.requiredSigners).toEqual([vault.address, partner.address]);
  });

  test('names the program of every instruction, unknown ones and repeats included', () => {
    const unknown: Instruction = { programAddress: accountOf(77), data: Uint8Array.of(1) };
    const decoded = decodeOrFail(
      build(version, vault.address, [
        transfer(vault.address, accountOf(9), 1),
        unknown,
        memo('hello'),
        transfer(vault.address, accountOf(10), 1_000_000_000),
      ]),
    );
    expect(decoded.programIds).toEqual([
      SYSTEM_PROGRAM,
      accountOf(77),
      MEMO_PROGRAM,
      SYSTEM_PROGRAM,
    ]);
  });

  test('without instructions is decoded with an empty program list', () => {
    expect(decodeOrFail(build(version, vault.address, [])).programIds).toEqual([]);
  });

  test('cut off anywhere is undecodable', () => {
    const wire = build(version, vault.address, [
      transfer(vault.address, accountOf(9), 1),
      memo('text', partner.address),
    ]);
    for (let length = 0; length < wire.length; length += 1) {
      expect([length, decodeSolanaTransaction(wire.subarray(0, length)).outcome]).toEqual([
        length,
        'undecodable',
      ]);
    }
  });

  test.each([0, 1, 255])('followed by one byte %i is undecodable', (extra) => {
    const wire = build(version, vault.address, [transfer(vault.address, accountOf(9), 1)]);
    expect(decodeSolanaTransaction(Uint8Array.of(...wire, extra)).outcome).toBe('undecodable');
  });

  test('preceded by one byte is undecodable', () => {
    const wire = build(version, vault.address, [transfer(vault.address, accountOf(9), 1)]);
    expect(decodeSolanaTransaction(Uint8Array.of(0, ...wire)).outcome).toBe('undecodable');
  });

  test('of 1232 bytes is decoded, of 1233 is not', () => {
    const wireOf = (memoLength: number): Uint8Array =>
      build(version, vault.address, [memo('x'.repeat(memoLength))]);
    const room = 1232 - wireOf(200).length + 200;
    expect(wireOf(room)).toHaveLength(1232);
    expect(decodeSolanaTransaction(wireOf(room)).outcome).toBe('decoded');
    expect(decodeSolanaTransaction(wireOf(room + 1))).toEqual({
      outcome: 'undecodable',
      reason: 'the transaction is longer than 1232 bytes',
    });
  });
});

describe('lookup tables', () => {
  test('are reported', () => {
    const decoded = decodeOrFail(buildWithLookupTable());
    expect(decoded).toMatchObject({
      version: 0,
      usesLookupTables: true,
      programIds: [TOKEN_PROGRAM],
      requiredSigners: [vault.address],
    });
  });

  test('cut off anywhere make the transaction undecodable', () => {
    const wire = buildWithLookupTable();
    for (let length = 0; length < wire.length; length += 1) {
      expect(decodeSolanaTransaction(wire.subarray(0, length)).outcome).toBe('undecodable');
    }
  });
});

describe('the decoded view', () => {
  test('shares no memory with the input', () => {
    const wire = rawWire(PLAIN).map((byte, index) => (index === 1 ? 9 : byte));
    // A Buffer, because its slice() is a view where Uint8Array's is a copy.
    Object.setPrototypeOf(wire, Buffer.prototype);
    const decoded = decodeOrFail(wire);
    const before = structuredClone(decoded);
    wire.fill(0xff);
    expect(decoded).toEqual(before);
    expect(decoded.signatures[0]?.[0]).toBe(9);
  });

  test('leaves the input as it was', () => {
    const wire = rawWire(PLAIN_V0);
    decodeSolanaTransaction(wire);
    expect(wire).toEqual(rawWire(PLAIN_V0));
  });

  test('works on a view into a larger buffer', () => {
    const wire = rawWire(PLAIN);
    const larger = new Uint8Array(wire.length + 20).fill(7);
    larger.set(wire, 10);
    expect(decodeSolanaTransaction(larger.subarray(10, 10 + wire.length))).toEqual(
      decodeSolanaTransaction(wire),
    );
  });
});

describe('a transaction that breaks one rule is undecodable', () => {
  test('the unbroken ones are decoded', () => {
    expect(decodeSolanaTransaction(rawWire(PLAIN)).outcome).toBe('decoded');
    expect(decodeSolanaTransaction(rawWire(PLAIN_V0)).outcome).toBe('decoded');
  });

  const program = (index: number): RawInstruction[] => [{ program: index, accounts: [0] }];
  const account = (index: number): RawInstruction[] => [{ program: 3, accounts: [0, index] }];

  test.each<[string, RawTransaction, RegExp]>([
    ['too few signatures', { ...PLAIN, signatures: 1 }, /./],
    ['too many signatures', { ...PLAIN, signatures: 3 }, /./],
    ['no signatures', { ...PLAIN, signatures: 0 }, /./],
    ['no signers at all', { ...PLAIN, signatures: 0, header: [0, 0, 1] }, /./],
    [
      'more signers than accounts',
      { ...PLAIN, signatures: 4, header: [5, 0, 0], instructions: [] },
      /number of signatures/,
    ],
    ['every signer read-only', { ...PLAIN, header: [2, 2, 1] }, /pay the fee/],
    ['more read-only signers than signers', { ...PLAIN, header: [2, 3, 1] }, /pay the fee/],
    ['more read-only accounts than accounts', { ...PLAIN, header: [2, 1, 3] }, /more accounts/],
    ['an account twice', { ...PLAIN, accounts: [11, 12, 13, 13] }, /listed twice/],
    ['a signer twice', { ...PLAIN, accounts: [11, 11, 13, 14] }, /./],
    ['a signer again as an account', { ...PLAIN, accounts: [11, 12, 11, 14] }, /listed twice/],
    ['the fee payer as program', { ...PLAIN, instructions: program(0) }, /fee payer/],
    ['a program out of bounds', { ...PLAIN, instructions: program(4) }, /program is not/],
    ['an account out of bounds', { ...PLAIN, instructions: account(4) }, /not there/],
    ['account 255', { ...PLAIN, instructions: account(255) }, /not there/],
    ['a program from a lookup table', { ...PLAIN_V0, instructions: program(4) }, /program is not/],
    ['an account behind the lookups', { ...PLAIN_V0, instructions: account(6) }, /not there/],
    [
      'a lookup of nothing',
      {
        ...PLAIN_V0,
        lookups: [...(PLAIN_V0.lookups ?? []), { table: 41, writable: [], readonly: [] }],
      },
      /nothing is loaded/,
    ],
    [
      'a lookup of the same entry twice',
      { ...PLAIN_V0, lookups: [{ table: 40, writable: [7], readonly: [7] }] },
      /listed twice/,
    ],
    [
      'the same entry through two lookups',
      {
        ...PLAIN_V0,
        lookups: [
          { table: 40, writable: [7], readonly: [] },
          { table: 40, writable: [], readonly: [7] },
        ],
      },
      /listed twice/,
    ],
    [
      'more than 256 accounts',
      {
        ...PLAIN_V0,
        lookups: [{ table: 40, writable: Array.from({ length: 253 }, (_, i) => i), readonly: [] }],
      },
      /256/,
    ],
  ])('%s', (_title, raw, reason) => {
    const result = decodeSolanaTransaction(rawWire(raw));
    expect(result).toEqual({ outcome: 'undecodable', reason: expect.stringMatching(reason) });
    expect(readByHand(rawWire(raw))).toBeUndefined();
  });

  test('256 accounts are still decoded', () => {
    const writable = Array.from({ length: 252 }, (_, index) => index);
    const raw = { ...PLAIN_V0, lookups: [{ table: 40, writable, readonly: [] }] };
    expect(decodeSolanaTransaction(rawWire(raw)).outcome).toBe('decoded');
  });

  test('a version 1 transaction', () => {
    const message = pipe(
      createTransactionMessage({ version: 1 }),
      (empty) => setTransactionMessageFeePayer(vault.address, empty),
      (unbound) =>
        setTransactionMessageLifetimeUsingBlockhash(
          { blockhash: BLOCKHASH, lastValidBlockHeight: 1n },
          unbound,
        ),
      (bare) =>
        appendTransactionMessageInstructions([transfer(vault.address, accountOf(9), 1)], bare),
    );
    const wire = encode(message);
    expect(Uint8Array.from(getTransactionDecoder().decode(wire).messageBytes)[0]).toBe(0x81);
    expect(decodeSolanaTransaction(wire).outcome).toBe('undecodable');
  });

  test.each([0x82, 0xff])('an unknown version byte %i', (versionByte) => {
    const wire = rawWire(PLAIN_V0);
    wire[1 + 2 * 64] = versionByte;
    expect(decodeSolanaTransaction(wire).outcome).toBe('undecodable');
  });

  test('a message alone, without its signatures', () => {
    expect(decodeSolanaTransaction(Uint8Array.from(rawMessage(PLAIN))).outcome).toBe('undecodable');
    expect(decodeSolanaTransaction(Uint8Array.from(rawMessage(PLAIN_V0))).outcome).toBe(
      'undecodable',
    );
  });

  test.each([
    ['accounts', 1 + 128 + 3],
    ['instructions', 1 + 128 + 3 + 1 + 4 * 32 + 32],
    ['accounts of an instruction', 1 + 128 + 3 + 1 + 4 * 32 + 32 + 2],
    ['data bytes', 1 + 128 + 3 + 1 + 4 * 32 + 32 + 2 + 4],
  ])('an over-long count of %s', (_what, offset) => {
    const wire = rawWire(PLAIN);
    const value = wire[offset] ?? 0;
    for (const longForm of [
      [value | 0x80, 0x00],
      [value | 0x80, 0x80, 0x00],
    ]) {
      const padded = Uint8Array.of(
        ...wire.subarray(0, offset),
        ...longForm,
        ...wire.subarray(offset + 1),
      );
      expect(decodeSolanaTransaction(padded).outcome).toBe('undecodable');
    }
  });

  test('an over-long count of signatures', () => {
    const padded = Uint8Array.of(0x82, 0x00, ...rawWire(PLAIN).subarray(1));
    expect(decodeSolanaTransaction(padded).outcome).toBe('undecodable');
  });
});

describe('hostile bytes', () => {
  test('random bytes never throw, and read as the independent reader reads them', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 1300, size: 'max' }), expectSameReading), {
      numRuns: howMany(2000),
    });
  });

  test('random bytes behind a good beginning never throw', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.uint8Array({ maxLength: 300, size: 'max' }), (keep, tail) => {
        expectSameReading(Uint8Array.of(...rawWire(PLAIN_V0).subarray(0, keep), ...tail));
      }),
      { numRuns: howMany(2000) },
    );
  });

  test.each([
    ['legacy', (): Uint8Array => rawWire(PLAIN)],
    ['version 0', (): Uint8Array => rawWire(PLAIN_V0)],
    ['lookup tables', buildWithLookupTable],
  ])('any byte changed (%s): still one reading or none', (_title, source) => {
    const wire = source();
    for (let index = 0; index < wire.length; index += 1) {
      const original = wire[index] ?? 0;
      const nearby = [original - 1, original + 1, original ^ 0x80];
      // In a signature, key or hash one change is like any other; counts and indexes have more to lose.
      const values = isStructural(wire, index) ? [...nearby, ...EDGE_VALUES] : [original ^ 0x55];
      for (const value of values) {
        const changed = Uint8Array.from(wire);
        changed[index] = value;
        expectSameReading(changed);
      }
    }
  });

  test('several bytes changed, moved or removed: still one reading or none', () => {
    const edits = fc.array(
      fc.record({
        at: fc.nat(400),
        remove: fc.nat(3),
        insert: fc.uint8Array({ maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.constantFrom(PLAIN, PLAIN_V0), edits, (raw, changes) => {
        let bytes = Array.from(rawWire(raw));
        for (const { at, remove, insert } of changes) {
          bytes = bytes.toSpliced(at % bytes.length, remove, ...insert);
        }
        expectSameReading(Uint8Array.from(bytes));
      }),
      { numRuns: howMany(2000) },
    );
  });

  test('well-formed transactions with random numbers: decoded exactly when they keep the rules', () => {
    const runs = howMany(1000);
    let decodedRuns = 0;
    fc.assert(
      fc.property(rawTransactions, (raw) => {
        const wire = rawWire(raw);
        expectSameReading(wire);
        decodedRuns += decodeSolanaTransaction(wire).outcome === 'decoded' ? 1 : 0;
      }),
      { numRuns: runs },
    );
    // The property says something only when both verdicts happen.
    expect(decodedRuns).toBeGreaterThan(0.03 * runs);
    expect(decodedRuns).toBeLessThan(0.97 * runs);
  });

  test('reasons never quote the input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const result = decodeSolanaTransaction(bytes);
        expect(result).toMatchObject({ outcome: 'undecodable' });
        expect('reason' in result && result.reason).toMatch(/^[a-z0-9 ]+$/);
      }),
    );
  });
});

const EDGE_VALUES = [0, 1, 2, 3, 5, 8, 0x1f, 0x40, 0x7f, 0x80, 0x81, 0xfe, 0xff];

/** Whether the byte is a count, an index or part of the header rather than part of a key or a hash. */
function isStructural(wire: Uint8Array, index: number): boolean {
  const messageStart = 1 + (wire[0] ?? 0) * 64;
  const version = (wire[messageStart] ?? 0) >= 0x80 ? 1 : 0;
  const accountsStart = messageStart + version + 4;
  const accountsEnd = accountsStart + ((wire[accountsStart - 1] ?? 0) + 1) * 32;
  return index === 0 || (index >= messageStart && index < accountsStart) || index >= accountsEnd;
}

const smallIndex = fc.nat(6);
const rawTransactions: fc.Arbitrary<RawTransaction> = fc
  .record({
    version: fc.constantFrom('legacy' as const, 0 as const),
    signatures: fc.integer({ min: 1, max: 3 }),
    readonlySigners: fc.nat(2),
    readonlyOthers: fc.nat(2),
    accounts: fc.uniqueArray(fc.nat(255), { minLength: 1, maxLength: 6 }),
    instructions: fc.array(
      fc.record({
        program: smallIndex,
        accounts: fc.array(smallIndex, { maxLength: 3 }),
        data: fc.array(fc.nat(255), { maxLength: 3 }),
      }),
      { maxLength: 2 },
    ),
    lookups: fc.array(
      fc.record({
        table: fc.nat(2),
        writable: fc.array(smallIndex, { maxLength: 2 }),
        readonly: fc.array(smallIndex, { maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ readonlySigners, readonlyOthers, ...rest }) => ({
    ...rest,
    header: [rest.signatures, readonlySigners, readonlyOthers],
  }));

describe('attaching a signature', () => {
  function privateKeyOf(seed: Uint8Array): KeyObject {
    const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
    const key = Buffer.from([...pkcs8Prefix, ...seed]);
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  }

  function signWithNode(seed: Uint8Array, message: Uint8Array): Uint8Array {
    return Uint8Array.from(sign(null, message, privateKeyOf(seed)));
  }

  async function kitVerifies(wire: Uint8Array, signer: Address): Promise<boolean> {
    const { messageBytes, signatures } = getTransactionDecoder().decode(wire);
    const signature = signatures[signer];
    return (
      signature != null &&
      verifySignature(
        await getPublicKeyFromAddress(signer),
        signatureBytes(signature),
        messageBytes,
      )
    );
  }

  test.each(['legacy', 0] as const)(
    'gives a transaction the kit verifies (%s)',
    async (version) => {
      const wire = build(version, sponsor.address, [
        transfer(vault.address, accountOf(9), 5000),
        memo('two more sign', partner.address),
      ]);
      const { message } = decodeOrFail(wire);
      let signed = wire;
      // Any order: the slot decides, not the time of signing.
      for (const [signer, seed] of [
        [partner, seedOf(3)],
        [vault, seedOf(1)],
        [sponsor, seedOf(2)],
      ] as const) {
        expect(await kitVerifies(signed, signer.address)).toBe(false);
        signed = attachSolanaSignature(signed, signer.address, signWithNode(seed, message));
        expect(await kitVerifies(signed, signer.address)).toBe(true);
      }
      expect(decodeOrFail(signed).message).toEqual(message);
      expect(decodeOrFail(signed).signatures).not.toContain(undefined);
      expect(signed).toHaveLength(wire.length);
    },
  );

  test('gives what the kit gives when it signs itself', async () => {
    const message = messageOf(0, vault.address, [transfer(vault.address, accountOf(9), 1)]);
    const wire = encode(message);
    const signed = attachSolanaSignature(
      wire,
      vault.address,
      signWithNode(seedOf(1), decodeOrFail(wire).message),
    );
    const byKit = await partiallySignTransaction([vault.keyPair], compileTransaction(message));
    expect(signed).toEqual(Uint8Array.from(getTransactionEncoder().encode(byKit)));
  });

  test('verifies with node:crypto over the decoded message', async () => {
    const message = messageOf(0, vault.address, [transfer(vault.address, accountOf(9), 1)]);
    const byKit = await partiallySignTransaction([vault.keyPair], compileTransaction(message));
    const signature = byKit.signatures[vault.address] ?? new Uint8Array(64);
    const decoded = decodeOrFail(attachSolanaSignature(encode(message), vault.address, signature));
    const publicKey = createPublicKey(privateKeyOf(seedOf(1)));
    const attached = decoded.signatures[0] ?? new Uint8Array(64);
    expect(verify(null, decoded.message, publicKey, attached)).toBe(true);
  });

  test('changes nothing but the slot, and not the input', () => {
    const wire = rawWire(PLAIN);
    const signer = decodeOrFail(wire).requiredSigners[1] ?? '';
    const signed = attachSolanaSignature(wire, signer, new Uint8Array(64).fill(5));
    const expected = rawWire(PLAIN);
    expected.fill(5, 1 + 64, 1 + 128);
    expect(signed).toEqual(expected);
    expect(wire).toEqual(rawWire(PLAIN));
  });

  test('replaces a signature that is already there', () => {
    const signer = decodeOrFail(rawWire(PLAIN)).feePayer;
    const once = attachSolanaSignature(rawWire(PLAIN), signer, new Uint8Array(64).fill(5));
    const twice = attachSolanaSignature(once, signer, new Uint8Array(64).fill(6));
    expect(decodeOrFail(twice).signatures).toEqual([new Uint8Array(64).fill(6), undefined]);
  });

  test('refuses an address that is no required signer, even if it is an account', () => {
    const wire = rawWire(PLAIN);
    for (const other of [accountOf(13), accountOf(99), '', 'toString']) {
      expect(() => attachSolanaSignature(wire, other, new Uint8Array(64))).toThrow(RangeError);
    }
  });

  test.each([0, 63, 65])('refuses a signature of %i bytes', (length) => {
    const wire = rawWire(PLAIN);
    expect(() => attachSolanaSignature(wire, accountOf(11), new Uint8Array(length))).toThrow(
      RangeError,
    );
  });

  test('refuses an undecodable transaction', () => {
    const wire = Uint8Array.of(...rawWire(PLAIN), 0);
    expect(() => attachSolanaSignature(wire, accountOf(11), new Uint8Array(64))).toThrow(TypeError);
  });
});
