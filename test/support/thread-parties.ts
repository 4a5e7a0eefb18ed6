/** The signing threads of three parties in this process, as built code, and items for them. */
import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SignatureScheme } from '@countersign/core/signature-schemes.js';
import { openFileKek } from '../../signer/src/secrets/kek/file-kek.js';
import { writeSealedKey } from '../../signer/src/secrets/sealing/sealed-key-file.js';
import { createNoncePoolMemory } from '../../signer/src/threads/nonce-memory.js';
import type { RoundOnePackages } from '../../signer/src/threads/dkg-packages.js';
import type { ThreadPools } from '../../signer/src/threads/thread-pools.js';
import type {
  CompletedShare,
  LeadItem,
  PartnerItem,
  StoredKey,
} from '../../signer/src/threads/thread-tasks.js';
import { BUILT_THREADS } from './built-threads.ts';

// Threads run built code, so the pools are taken from there too.
const BUILT_POOLS = new URL('../../signer/dist/threads/thread-pools.js', import.meta.url);
export const BATCH = 32;
export const PARTIES = [1, 2, 3] as const;

export type Party = (typeof PARTIES)[number];

/** Lead and partner, in every combination. */
export const PAIRS: readonly [Party, Party][] = [
  [1, 2],
  [2, 1],
  [1, 3],
  [3, 1],
  [2, 3],
  [3, 2],
];

type OpenThreadPools = typeof import('../../signer/src/threads/thread-pools.js').openThreadPools;

/** A key as its three parties store it: party i's at index i - 1. */
export type KeyOfParties = readonly StoredKey[];

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing in the test');
  return value;
}

export function rawPublicKey(jwk: { x?: string }): Uint8Array {
  return Uint8Array.from(Buffer.from(jwk.x ?? '', 'base64url'));
}

export function isSigned(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
}

const caller = generateKeyPairSync('ed25519');
export const callerPublicKey = rawPublicKey(caller.publicKey.export({ format: 'jwk' }));

/** A request of the caller, as each party holds it. */
export function request() {
  const digest = randomBytes(32);
  const assertion = sign(null, digest, caller.privateKey);
  return {
    evidence: {
      digest,
      assertion,
      callerKey: { kind: 'ed25519' as const, publicKey: callerPublicKey },
    },
    message: randomBytes(120),
  };
}

export function storedAs(keyId: string, type: StoredKey['type'], share: CompletedShare): StoredKey {
  const { wrappedDek, sealed, publicKey } = share;
  return { keyId, version: 1, type, wrappedDek, sealed, publicKey };
}

export type ThreadParties = Awaited<ReturnType<typeof openThreadParties>>;

export async function openThreadParties() {
  if (!existsSync(fileURLToPath(BUILT_POOLS))) {
    throw new Error('run `npm run build` first');
  }
  const { openThreadPools } = (await import(BUILT_POOLS.href)) as {
    openThreadPools: OpenThreadPools;
  };
  const directory = mkdtempSync(join(tmpdir(), 'countersign-threads-'));
  let lastSerial = 0;

  function secretFile(name: string, length = 32): string {
    const path = join(directory, name);
    writeFileSync(path, randomBytes(length), { mode: 0o600 });
    return path;
  }

  function keyFile(party: Party, purpose: 'identity' | 'exchange', prefix: string): string {
    const path = join(directory, `${prefix}${purpose}-${party}`);
    const kek = openFileKek(join(directory, `${prefix}kek-${party}`));
    writeSealedKey(path, { kek, party, purpose }, randomBytes(32));
    return path;
  }

  function optionsOf(party: Party, prefix = '') {
    return {
      party,
      threadFile: BUILT_THREADS.signing,
      cloudVariables: {},
      kekFile: secretFile(`${prefix}kek-${party}`),
      identityFile: keyFile(party, 'identity', prefix),
      exchangeFile: keyFile(party, 'exchange', prefix),
      nonceMemory: createNoncePoolMemory(BATCH),
    };
  }

  const options = PARTIES.map((party) => optionsOf(party));
  const pools: readonly ThreadPools[] = await Promise.all(options.map(openThreadPools));
  /** Those of the party itself, with nonces of its own. */
  const siblingOptionsOf = (party: Party) => ({
    ...present(options[party - 1]),
    nonceMemory: createNoncePoolMemory(BATCH),
  });
  const poolsOf = (party: Party): ThreadPools => present(pools[party - 1]);

  async function roundOne(sessionId: string): Promise<RoundOnePackages> {
    const [first, second, third] = await Promise.all(
      pools.map((pool) => pool.dkgRound1({ sessionId })),
    );
    return [present(first), present(second), present(third)];
  }

  async function generate(sessionId: string, keyId: string): Promise<CompletedShare[]> {
    const roundOnePackages = await roundOne(sessionId);
    const sent = (
      await Promise.all(pools.map((pool) => pool.dkgRound2({ sessionId, roundOnePackages })))
    ).flat();
    return Promise.all(
      pools.map((pool) =>
        pool.dkgRound3({
          sessionId,
          roundOnePackages,
          roundTwoPackages: sent
            .filter((one) => one.recipient === pool.party)
            .map((one) => one.bytes),
          keyId,
          version: 1,
        }),
      ),
    );
  }

  function freshSlots(count: number) {
    lastSerial += 1;
    return Array.from({ length: count }, (_, slot) => ({ slot, serial: lastSerial }));
  }

  /** Both parties' items for some requests, up to and with the partner's work. */
  async function prepare(
    lead: Party,
    partner: Party,
    keys: readonly KeyOfParties[],
    {
      scheme = 'ed25519' as SignatureScheme,
      change = (item: PartnerItem, _index: number): PartnerItem => item,
    } = {},
  ) {
    const slots = freshSlots(keys.length);
    const commitments = await poolsOf(lead).commit(slots);
    const partnerItems = keys.map((key, index) => {
      const isEd25519 = present(key[0]).type === 'ed25519';
      const commitment = commitments.subarray(index * 64, (index + 1) * 64);
      const item: PartnerItem = {
        ...request(),
        key: present(key[partner - 1]),
        scheme,
        leadParty: lead,
        leadCommitment: isEd25519 ? commitment : new Uint8Array(),
      };
      return change(item, index);
    });
    const partnerResults = await poolsOf(partner).partner(partnerItems);
    const leadItems = slots.map((slot, index): LeadItem => {
      const result = present(partnerResults[index]);
      const item = present(partnerItems[index]);
      return {
        evidence: item.evidence,
        message: item.message,
        scheme: item.scheme,
        key: present(present(keys[index])[lead - 1]),
        partnerParty: partner,
        contribution: result.ok ? result.contribution : new Uint8Array(96),
        ...slot,
      };
    });
    return { partnerItems, partnerResults, leadItems };
  }

  return {
    openThreadPools,
    optionsOf,
    siblingOptionsOf,
    secretFile,
    pools,
    poolsOf,
    roundOne,
    generate,
    freshSlots,
    prepare,
    async close(): Promise<void> {
      await Promise.all(pools.map((pool) => pool.close()));
      rmSync(directory, { recursive: true });
    },
  };
}
