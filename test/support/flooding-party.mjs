// A party gone bad, as a process of its own with the party's real keys, database role and evidence key: it floods the
// other two. Its channel and ledger are the product's; what it says is not. Its parent tells it when to begin and end.
import { randomBytes, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { waitingJobsKey } from '@countersign/runtime/jobs/job-backend.js';
import { partyChannel, PRESENCE_KEY, signQueueName } from '@countersign/runtime/jobs/names.js';
import {
  parsePresence,
  presenceEntry,
  presenceMessage,
  startReplica,
} from '@countersign/runtime/jobs/replica.js';
import { openSignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openProcessLife } from '@countersign/runtime/process/process-life.js';
import { encodeMessage } from '../../signer/dist/channel/messages.js';
import { subscribeWhenReady } from '@countersign/runtime/process/subscribe-when-ready.js';
import { connectParties, openLedger, openOwnThreads } from '../../signer/dist/open-party.js';
import { readConfig } from '@countersign/runtime/process/config.js';
import { signerVariables } from '@countersign/runtime/settings/signer-config.js';

const SIGNING_THREAD = '../../signer/dist/secrets/signing-thread/signing-thread.js';
const OWN_REPLICAS = 4;
const INVENTED = 40;
/** Whose messages nobody hears: what the flood costs this process and Redis, and nobody else. */
const NOBODY = [startReplica(1, 'nobody'), startReplica(2, 'nobody')];
const config = readConfig(signerVariables, process.env);
const logger = createLogger('flooding party', 'error');
const threadFiles = { signing: new URL(SIGNING_THREAD, import.meta.url) };
const life = openProcessLife(logger, 5_000);
const own = { config, logger, life, now: Date.now, threadFiles };
const ground = await openLedger(own);
const replicas = Array.from({ length: OWN_REPLICAS }, (_, index) =>
  startReplica(config.PARTY, `flood-${index}`),
);
const threads = await openOwnThreads(own, ground);
const faces = await Promise.all(replicas.map(openFace));
const { redis } = faces[0];

/** A process of the party as others know it: it hears them, or nobody would agree on keys with it. */
async function openFace(self) {
  const face = await connectParties(own, { ...ground, self }, threads);
  face.subscriber.on('messageBuffer', (_channel, frame) => face.channel.receive(frame));
  await subscribeWhenReady(face.subscriber, partyChannel(self));
  return face;
}

const sent = { messages: 0, underRealBatches: 0 };
let isFlooding = false;
let victims = [];

/** What an honest party would never say, or not so often; the number chooses. */
const SAYINGS = [
  () => needCommitments(),
  () => contribution(randomBytes(16).toString('hex')),
  () => needCommitments(),
  () => Buffer.concat([Buffer.from([Math.floor(Math.random() * 9)]), randomBytes(20_000)]),
  () => ceremony(randomUUID(), 'round1', 20_000),
  () => encodeMessage({ kind: 'vouch-request', token: 1, clearedSeq: 2 ** 40 }),
  () => needCommitments(),
  () => ceremony(randomUUID(), 'start', 100),
  () => encodeMessage({ kind: 'finished', batchId: randomBytes(16).toString('hex') }),
  () => encodeMessage({ kind: 'commitments', token: 1, commitments: lent(256) }),
];

function needCommitments() {
  return encodeMessage({ kind: 'need-commitments', token: 1, count: 256 });
}

function contribution(batchId) {
  const parts = Array.from({ length: 64 }, () => ({ kind: 'retry', reason: 'x'.repeat(200) }));
  return encodeMessage({
    kind: 'contribution',
    batchId,
    givenAt: Date.now(),
    treeSignature: randomBytes(64),
    parts,
  });
}

function ceremony(session, tag, bytes) {
  const message = { kind: 'ceremony', session, keyId: randomUUID(), tag };
  return encodeMessage({ ...message, payload: randomBytes(bytes) });
}

function lent(count) {
  return Array.from({ length: count }, (_, slot) => ({
    slot,
    serial: slot + 1,
    commitment: randomBytes(64),
  }));
}

async function findVictims() {
  const entries = Object.entries(await redis.hgetall(PRESENCE_KEY));
  return entries
    .flatMap(([field, value]) => parsePresence(field, value)?.replica ?? [])
    .filter(({ party, name }) => party !== config.PARTY && name === 'a');
}

/** `atOnce`: so many are on their way before the next ones are made; `perSecond`: of all kinds together. */
async function flood({ atOnce, perSecond }) {
  const startedAt = Date.now();
  let count = 0;
  while (isFlooding) {
    const wave = Array.from({ length: atOnce }, async () => {
      count += 1;
      const round = Math.floor(count / SAYINGS.length);
      const { channel } = faces[round % faces.length];
      const saying = SAYINGS[count % SAYINGS.length]();
      // until keys are agreed on, and beyond what may wait for them, it goes nowhere
      await channel
        .send(victims[(round >> 2) % victims.length], () => saying)
        .catch(() => undefined);
    });
    await Promise.all(wave);
    sent.messages += atOnce;
    const aheadMs = (count / perSecond) * 1_000 - (Date.now() - startedAt);
    await (aheadMs > 1 ? setTimeout(aheadMs) : setImmediate());
  }
}

/** With the party's own identity key, whatever the replica is. */
async function signPresences(all) {
  const { genesisHash } = ground.follower.state;
  const messages = all.map((replica) => presenceMessage(replica, true, genesisHash));
  const signatures = await threads.signIdentity(messages);
  return all.map((replica, index) => ({ replica, signature: signatures[index] }));
}

/** Says that it is alive and takes no job; invents replicas of every party. */
async function pretend() {
  const invented = [1, 2, 3].flatMap((party) =>
    Array.from({ length: INVENTED }, (_, index) => startReplica(party, `invented-${index}`)),
  );
  const signed = await signPresences([...invented, ...replicas]);
  while (isFlooding) {
    const alive = signed.flatMap(({ replica, signature }) =>
      presenceEntry(replica, Date.now(), true, signature),
    );
    await redis.hset(PRESENCE_KEY, ...alive);
    await setTimeout(250);
  }
}

/** Contributes to the very batches that the other two are asked for: it hears what Redis is told. */
async function meddle(watched) {
  const queues = new Set(watched.map((victim) => waitingJobsKey(signQueueName(victim))));
  const { hostname, port, password } = new URL(config.REDIS_URL);
  // over a socket of its own: ioredis fails when the first command comes in one packet with the greeting
  const monitor = connect(Number(port), hostname);
  monitor.on('error', () => undefined);
  monitor.write(`AUTH ${decodeURIComponent(password)}\r\nMONITOR\r\n`);
  createInterface({ input: monitor }).on('line', (line) => {
    const [, key, job] = /"zadd" "([^"]+)" "[^"]+" "([^"]+)"$/i.exec(line) ?? [];
    // not a job after all, or the flood is over
    if (queues.has(key)) meddleIn(job).catch(() => undefined);
  });
  while (isFlooding) await setTimeout(50);
  monitor.destroy();
}

async function meddleIn(job) {
  const batch = openSignBatch(Buffer.from(job, 'base64'), ground.evidenceKeys);
  // one that names this party as its lead is nobody else's
  if (batch.lead.party === config.PARTY) return;
  const lead = victims === NOBODY ? NOBODY[0] : batch.lead;
  await faces[0].channel.send(lead, () => contribution(batch.batchId)).catch(() => undefined);
  sent.underRealBatches += 1;
}

process.on('message', async (order) => {
  if (order.event === 'flood') {
    const watched = await findVictims();
    victims = order.aimsAtNobody ? NOBODY : watched;
    isFlooding = true;
    await Promise.all([flood(order), meddle(watched), ...(order.aimsAtNobody ? [] : [pretend()])]);
    const invented = Object.keys(await redis.hgetall(PRESENCE_KEY)).filter((field) =>
      /invented|flood/.test(field),
    );
    if (invented.length > 0) await redis.hdel(PRESENCE_KEY, ...invented);
    process.send({ event: 'done', sent });
  }
  if (order.event === 'stop') isFlooding = false;
  if (order.event === 'count') process.send({ event: 'count', sent });
});
process.on('disconnect', () => process.exit(0));
process.send({ event: 'ready' });
