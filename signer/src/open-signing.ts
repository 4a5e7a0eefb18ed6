/** Opens what a replica signs with: what it remembers of requests, both of its roles, and what it hears. */
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import { readIdentityProviders } from '@countersign/runtime/tokens/identity-providers.js';
import { openTokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';
import type { Tracing } from '@countersign/runtime/tracing/tracing.js';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { isProbeBatch } from '@countersign/runtime/jobs/signing-probe.js';
import { createMessageQuotas, type MessageQuotas } from './channel/message-quotas.js';
import { type Contribution } from './channel/messages.js';
import { openWorkerRedis } from './channel/open-redis.js';
import { openLeaseClock } from '@countersign/runtime/process/lease-clock.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { subscribeWhenReady } from '@countersign/runtime/process/subscribe-when-ready.js';
import { openAgreeAhead } from './party/agree-ahead.js';
import { watchHeads } from './party/seen-heads.js';
import type { OwnPresence } from './party/own-presence.js';
import { openDurableMessages } from './requests/durable-messages.js';
import { openTakenUntil } from './requests/taken-until.js';
import { createRequestMemory, type RequestMemory } from './requests/request-memory.js';
import { withoutDistrusted } from '@countersign/core/evidence-key.js';
import { isHeldOpen } from '@countersign/vault/policy/released-approvals.js';
import { isWithdrawnEvidenceKey } from '@countersign/vault/state/state.js';
import { verifyPartiesOf } from '@countersign/api/signed-tree.js';
import { allPartiesOf } from '@countersign/vault/state/all-parties.js';
import {
  NO_PRICE_FEED,
  openPriceFeed,
  type PriceFeed,
} from '@countersign/runtime/prices/price-feed.js';
import { forgetOlderPrices, openPriceMemory } from '@countersign/runtime/prices/price-memory.js';
import { readPriceTrust } from '@countersign/runtime/prices/price-trust.js';
import { createRecordWriter } from './records/record-writer.js';
import { createShareStore } from './records/share-store.js';
import { createLimitStore } from './limits/limit-store.js';
import { createLimits, type Limits } from './limits/limits.js';
import { createNonceStore } from './records/venue-nonce-store.js';
import {
  createBorrowedCommitments,
  type BorrowedCommitments,
} from './signing/borrowed-commitments.js';
import { createCommitmentLender, type CommitmentLender } from './signing/commitment-lender.js';
import { dispatchPartyMessage } from './signing/dispatch-party-message.js';
import type { PartyMessageReceivers } from './signing/dispatch-party-message.js';
import { leadBatch, type LeadBatchDeps } from './signing/lead-batch.js';
import { createLeadInbox, type LeadInbox } from './signing/lead-inbox.js';
import { createLeadWithLoans } from './signing/lead-with-loans.js';
import type { PartyContext } from './signing/party-context.js';
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { createRecentSigning, type RecentSigning } from './signing/recent-signing.js';
import { signAsLead } from './signing/sign-as-lead.js';
import { createSignTally, type Role, type SignTally } from './signing/sign-tally.js';
import { drawBatch, followBatch } from './signing/traced-batches.js';
import { signAsPartner } from './signing/sign-as-partner.js';
import { openSignWorker } from './signing/sign-worker.js';
import { createSigningLog } from './signing/signing-log.js';
import { type ThreadPools } from './threads/thread-pools.js';
import { NONCE_SLOTS } from './open-party.js';
import type { PartyConnections, PartyGround, PartyProcess, PartyTrust } from './open-party.js';

/** More than can be asked for again at one time; a denial recorded twice does no harm. */
const MAX_DENIALS = 10_000;

export interface OpenRequestMemory {
  /** The requests that this process will contribute to, with what the one before wrote down. */
  readonly requests: RequestMemory;
  /** Resolves once this process may take a request, or its disk does not let it. */
  readyToTake(): Promise<void>;
  /** Why the disk does not take what is to be written down of them; undefined while it does. */
  diskTrouble(): string | undefined;
}

export async function openRequestMemory(
  { config, life, now, elapsed }: PartyProcess,
  { follower, alarms, isRestarted }: Pick<PartyGround, 'follower' | 'alarms' | 'isRestarted'>,
): Promise<OpenRequestMemory> {
  const { PIN_FILE } = config;
  const isHeld = (requestId: string) => isHeldOpen(follower.state, requestId);
  // without a folder nobody knows what was before, so nothing older than this process is taken
  if (PIN_FILE === undefined) {
    const requests = createRequestMemory({ takenBefore: now(), isHeld });
    return { requests, readyToTake: async () => undefined, diskTrouble: () => undefined };
  }
  const durable = await openDurableMessages(`${PIN_FILE}.requests`, now, isHeld);
  life.onStop(() => durable.close());
  const taken = await openTakenUntil(`${PIN_FILE}.taken`, {
    ...{ now, elapsed, isRestarted },
    onTrouble: (reason) => alarms.raise({ kind: 'pin_unwritable', reason }),
  });
  life.onStop(() => taken.stop());
  const requests = createRequestMemory({
    takenBefore: taken.before,
    forgottenBefore: taken.forgotten,
    takesUntil: taken.until,
    earlier: durable.earlier,
    durable,
    isHeld,
  });
  return { requests, readyToTake: taken.ready, diskTrouble: () => taken.trouble };
}

/** Opens prices for rules that ask; without a file of trusted relays nobody is asked. */
export async function openPrices(
  { config: { PRICES_FILE, PIN_FILE }, logger, life, now }: PartyProcess,
  { redis }: PartyConnections,
): Promise<PriceFeed> {
  if (PRICES_FILE === undefined) return NO_PRICE_FEED;
  const memory =
    PIN_FILE === undefined ? forgetOlderPrices(now()) : await openPriceMemory(`${PIN_FILE}.prices`);
  const prices = openPriceFeed({
    trust: readPriceTrust(PRICES_FILE),
    fetch: (keys) => redis.mgetBuffer(keys),
    memory,
    logger,
    now,
  });
  life.onStop(() => prices.stop());
  return prices;
}

/** Both roles of this replica in signatures. */
export interface PartySigning {
  readonly context: PartyContext;
  readonly lender: CommitmentLender;
  readonly borrowed: BorrowedCommitments;
  readonly inbox: LeadInbox<Contribution>;
  readonly recent: RecentSigning;
  readonly tally: SignTally;
  readonly quotas: MessageQuotas;
  readonly alarms: Alarms;
}

function openSigningStores(
  { self: { party, name, boot }, pool, recordPool, alarms }: PartyGround,
  leaseClock: () => number,
): Pick<PartyContext, 'records' | 'shares' | 'nonces'> {
  const chainId = `party_${party}-${name}-${boot}`;
  const onStrangeHead = (reason: string) =>
    alarms.raise({ kind: 'records_lost', reason, isLasting: true });
  return {
    records: createRecordWriter(recordPool, party, chainId, leaseClock, onStrangeHead),
    shares: createShareStore(pool, party),
    nonces: createNonceStore(pool, party),
  };
}

function openLimits(
  { self, pool, logger }: PartyGround & Pick<PartyProcess, 'logger'>,
  now: () => number,
): Limits {
  return createLimits(createLimitStore(pool, self.party), now, (error) =>
    logger.error(
      { event: 'limit_not_given_back', reason: String(error) },
      'a limit counts a signature that was not given',
    ),
  );
}

type SigningParts = PartyGround &
  PartyConnections &
  PartyTrust &
  Pick<OpenRequestMemory, 'readyToTake'> &
  Pick<PartyContext, 'threads' | 'requests' | 'prices'>;

export function openSigning(own: PartyProcess, deps: SigningParts): PartySigning {
  const { logger, life, now } = own;
  const { self, follower, evidenceKeys, send } = deps;
  const { trust, gate, given, requests } = deps;
  const bounds = openBounds(deps, now);
  const { threads } = bounds;
  const leaseClock = openLeaseClock();
  const { records, shares, nonces } = openSigningStores(deps, leaseClock);
  life.onStop(() => records.drain());
  const context: PartyContext = {
    self,
    follower,
    trust,
    heads: watchHeads(follower, own.elapsed),
    gate,
    given,
    threads,
    shares,
    nonces,
    records,
    requests,
    limits: openLimits({ ...deps, logger }, now),
    prices: deps.prices,
    recordedDenials: new BoundedMap(MAX_DENIALS),
    deniedBatches: new BoundedMap(MAX_DENIALS),
    verifyParty: verifyPartiesOf(allPartiesOf(() => follower.state)),
    evidenceKeys,
    logger,
    signingLog: createSigningLog(logger),
    alarms: deps.alarms,
    now,
    leaseClock,
    send,
  };
  const borrowed = createBorrowedCommitments((lead, token, count) => {
    send(lead, { kind: 'need-commitments', token, count }).catch(() => undefined);
  }, now);
  const tally = createSignTally();
  const leading: LeadBatchDeps = {
    evidenceKeys,
    logger,
    genesisHash: follower.state.genesisHash,
    sign: countedLead(context, tally, deps.readyToTake),
    signIdentity: async (message) => (await threads.signIdentity([message]))[0]!,
    publish: (name, reply) => deps.redis.publish(name, reply),
    finish: ({ batchId, partner }) => send(partner, { kind: 'finished', batchId }),
  };
  const inbox = createLeadInbox<Contribution>(leadDrawn(leading, own.tracing), now);
  return { ...bounds, context, borrowed, inbox, tally, recent: createRecentSigning(now) };
}

function leadDrawn(leading: LeadBatchDeps, tracing: Tracing) {
  return (batch: SignBatch, contribution: Contribution): void => {
    void leadBatch(leading, batch, contribution).then(() => drawBatch(tracing, 'lead', batch));
  };
}

/** Probes are nobody's requests, so they are not counted. */
function countedLead(
  context: PartyContext,
  tally: SignTally,
  readyToTake: () => Promise<void>,
): LeadBatchDeps['sign'] {
  return async (batch, contribution) => {
    await readyToTake();
    const outcomes = signAsLead(context, batch, contribution);
    return isProbeBatch(batch.items) ? outcomes : tally.countLed(outcomes);
  };
}

/** Bounds what the other parties can have this one do. */
function openBounds(
  deps: Pick<PartyGround, 'self' | 'alarms'> & { readonly threads: ThreadPools },
  now: () => number,
): Pick<PartySigning, 'lender' | 'quotas' | 'alarms'> & { readonly threads: ThreadPools } {
  const { self, threads, alarms } = deps;
  const lender = createCommitmentLender(threads, { slots: NONCE_SLOTS, self: self.party, now });
  const lead = createLeadWithLoans((items) => threads.lead(items), lender, alarms);
  const quotas = createMessageQuotas(alarms, now);
  return { lender, quotas, alarms, threads: { ...threads, lead } };
}

async function hearParties(
  logger: Logger,
  { channel, subscriber, context }: PartyConnections & PartySigning,
): Promise<void> {
  subscriber.on('messageBuffer', (_channel: Buffer, frame: Buffer) => channel.receive(frame));
  await subscribeWhenReady(subscriber, partyChannel(context.self), (error) =>
    logger.error({ event: 'subscribe_failed', reason: String(error) }, 'no messages come'),
  );
}

/** From now on this replica hears the other parties, and takes batches from its queue. */
export async function startListening(
  { config, logger, life, now, tracing }: PartyProcess,
  deps: PartyConnections &
    PartyTrust &
    PartySigning & {
      readonly keyWork: PartyMessageReceivers['ceremonies'];
      readonly presence: OwnPresence;
    } & Pick<OpenRequestMemory, 'readyToTake'>,
): Promise<void> {
  const { channel, context, borrowed, inbox, recent, tally, keyWork } = deps;
  const receivers = { ...deps, self: context.self, ceremonies: keyWork, logger };
  channel.onMessage((from, bytes) => dispatchPartyMessage(receivers, from, bytes));
  await hearParties(logger, deps);
  const ahead = openAgreeAhead(deps);
  life.onStop(() => ahead.stop());

  // a party that is only probed has time for keys that nobody waits for
  const noteBatch = (role: Role, { items }: SignBatch) => {
    if (isProbeBatch(items)) return;
    recent.note();
    tally.noteBatch(role);
  };
  const workerRedis = openWorkerRedis(config.REDIS_URL);
  life.onStop(() => workerRedis.disconnect());
  const worker = openSignWorker({
    self: context.self,
    redis: workerRedis,
    evidenceKeys: withoutDistrusted(context.evidenceKeys, (id) =>
      isWithdrawnEvidenceKey(context.follower.state, id),
    ),
    logger,
    alarms: context.alarms,
    tokens: await openTokenVerifier(readIdentityProviders(config)),
    follower: context.follower,
    now,
    lead: (taken) => {
      const batch = followBatch(tracing, taken);
      noteBatch('lead', batch);
      // while the partner does its part
      void deps.readyToTake();
      inbox.addBatch(batch);
    },
    partner: async (taken) => {
      const batch = followBatch(tracing, taken);
      noteBatch('partner', batch);
      await deps.readyToTake();
      await signAsPartner(context, borrowed, batch);
      drawBatch(tracing, 'partner', batch);
    },
  });
  life.onStop(() => worker.close());
}
