/**
 * Party 2 gone bad in key ceremonies: a replica with its real keys and its real code, save for what the
 * test puts in the place of its messages to the other parties.
 */
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { decodeMessage, encodeMessage } from '../../signer/dist/channel/messages.js';
import type { PartyMessage } from '../../signer/dist/channel/messages.js';
import { readConfig } from '@countersign/runtime/process/config.js';
import { signerVariables } from '@countersign/runtime/settings/signer-config.js';
import { KEY_START } from '../../signer/dist/ceremonies/key-ceremonies.js';
import { openKeyWork } from '../../signer/dist/open-key-work.js';
import { openOwnPresence } from '../../signer/dist/party/own-presence.js';
import { createShareStore } from '../../signer/dist/records/share-store.js';
import { createCommitmentLender } from '../../signer/dist/signing/commitment-lender.js';
import { BUILT_THREADS } from './built-threads.ts';
import { NONCE_SLOTS, openPartyInTest } from './party-in-test.ts';
import type { TestVault } from './test-vault.ts';

/** One message of a run, of party 2 to another. */
export interface CeremonyWord {
  readonly to: PartyNumber;
  readonly tag: string;
  readonly payload: Uint8Array;
}

export interface LyingCeremonyParty {
  /** What it says in the place of a message; the message itself, at first. */
  lie: (word: CeremonyWord) => Pick<CeremonyWord, 'tag' | 'payload'>;
  /** How many runs party 1 has called for the key. */
  runsOf(keyId: string): number;
  /** As its own fold has it; undefined until then. */
  findKey(displayName: string): Key | undefined;
  close(): Promise<void>;
}

/** The party's own process must have ended. */
export async function openLyingCeremonyParty(vault: TestVault): Promise<LyingCeremonyParty> {
  const self = startReplica(2, 'liar');
  const parts = await openPartyInTest(vault, self);
  const { follower, redis, channel, threads } = parts;
  const runs = new Map<string, number>();

  const liar: LyingCeremonyParty = {
    lie: ({ tag, payload }) => ({ tag, payload }),
    runsOf: (keyId) => runs.get(keyId) ?? 0,
    findKey: (displayName) =>
      follower.state.keys.rows.find((row) => row.displayName === displayName),
    async close() {
      await presence.stop();
      await keyWork.stop();
      await parts.close();
    },
  };

  function twisted(to: PartyNumber, message: PartyMessage): PartyMessage {
    if (message.kind !== 'ceremony') return message;
    const { tag, payload } = message;
    return { ...message, ...liar.lie({ to, tag, payload }) };
  }

  const presence = openOwnPresence({
    redis,
    self,
    isPrimary: false,
    now: Date.now,
    elapsed: () => performance.now(),
    genesisHash: follower.state.genesisHash,
    sign: async (message) => (await threads.signIdentity([message]))[0]!,
    isHeard: () => false,
  });
  const keyWork = openKeyWork({
    ...parts,
    config: readConfig(signerVariables, {
      PARTY: '2',
      REPLICA: self.name,
      DATABASE_URL: parts.databaseUrl,
      REDIS_URL: vault.servers.redis.url,
      EVIDENCE_KEY_FILE: vault.prepared.evidenceKeyFile,
      KEY_DIR: vault.prepared.keyDir(2),
      GENESIS_FILE: vault.prepared.genesisFile,
    }),
    kekFile: parts.files.kek,
    cloudVariables: {},
    threadFiles: BUILT_THREADS,
    shares: createShareStore(parts.pool, 2),
    lender: createCommitmentLender(threads, { slots: NONCE_SLOTS, self: 2, now: Date.now }).trials,
    presence,
    now: Date.now,
    send: (to, message) => channel.send(to, () => encodeMessage(twisted(to.party, message))),
    isSigning: () => false,
  });
  channel.onMessage((from, bytes) => {
    const message = decodeMessage(bytes);
    if (message.kind !== 'ceremony') return;
    const { keyId, tag } = message;
    if (tag === KEY_START) runs.set(keyId, liar.runsOf(keyId) + 1);
    keyWork.receive(from, message);
  });
  await presence.announce(() => 'fit');
  return liar;
}
