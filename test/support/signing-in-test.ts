/** What a replica in the test's own process signs with: real keys, real stores, its own part of the database. */
import { NO_PRICE_FEED } from '@countersign/runtime/prices/price-feed.js';
import { createVerifyParty } from '@countersign/api/signed-tree.js';
import { encodeMessage } from '../../signer/dist/channel/messages.js';
import { primaryTrust } from '../../signer/dist/party/head-trust.js';
import { createLimitStore } from '../../signer/dist/limits/limit-store.js';
import { createLimits } from '../../signer/dist/limits/limits.js';
import type { RecordWriter } from '../../signer/dist/records/record-writer.js';
import { createShareStore } from '../../signer/dist/records/share-store.js';
import { createNonceStore } from '../../signer/dist/records/venue-nonce-store.js';
import { createRequestMemory } from '../../signer/dist/requests/request-memory.js';
import { createGivenContributions } from '../../signer/dist/signing/given-contributions.js';
import type { PartyContext } from '../../signer/dist/signing/party-context.js';
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { watchHeads } from '../../signer/dist/party/seen-heads.js';
import { createReleaseGate } from '../../signer/dist/signing/release-gate.js';
import type { openPartyInTest } from './party-in-test.ts';

export function signingContext(
  parts: Awaited<ReturnType<typeof openPartyInTest>>,
  records: RecordWriter,
): PartyContext {
  const { self, follower, threads, pool, evidenceKeys, logger, alarms, channel } = parts;
  return {
    self,
    follower,
    trust: primaryTrust(follower),
    heads: watchHeads(follower, () => performance.now()),
    gate: createReleaseGate(),
    given: createGivenContributions(),
    threads,
    shares: createShareStore(pool, self.party),
    nonces: createNonceStore(pool, self.party),
    records,
    limits: createLimits(createLimitStore(pool, self.party), Date.now, (error) => {
      throw error;
    }),
    requests: createRequestMemory({ takenBefore: 0 }),
    recordedDenials: new BoundedMap(10_000),
    deniedBatches: new BoundedMap(10_000),
    verifyParty: createVerifyParty(follower.state.parties),
    alarms,
    evidenceKeys,
    logger,
    signingLog: { note: () => undefined },
    prices: NO_PRICE_FEED,
    now: Date.now,
    leaseClock: () => performance.now(),
    send: (to, message) => channel.send(to, () => encodeMessage(message)),
  };
}
