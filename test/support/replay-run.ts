/**
 * Captured requests put before a vault again and again, while its processes are killed, Redis loses everything and the
 * database forgets. A replay is one request (or one recorded message between parties) put before a pair of parties or a
 * gateway once more.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { MAX_BATCH } from '@countersign/runtime/jobs/names.js';
import { createChance, type Chance } from '../races/virtual-time.ts';
import type { BatchHead } from './attacker.ts';
import { openGivenMessages, type GivenMessages, type MostMessages } from './given-messages.ts';
import { openJobReplayer, type JobReplayer } from './replayed-jobs.ts';
import { deliver, type SignedRequest } from './signed-request.ts';
import type { TestVault } from './test-vault.ts';
import type { VenueDesk } from './venue-desk.ts';

export interface ReplayPlan {
  readonly seed: number;
  readonly replays: number;
  /** The run goes on until so many requests were signed: on a slow machine replays alone end before any is. */
  readonly signed: number;
  /** What breaks meanwhile, in this order, at even distances. */
  readonly breaks: readonly Break[];
  /** After each of these: what was seen so far. */
  onFigures?(figures: ReplayFigures): void;
}

export interface Break {
  readonly kind: 'restart' | 'flush' | 'rollback';
  /** For a restart: ends a process at once and starts it again. */
  run?(): Promise<void>;
}

export interface ReplayFigures {
  readonly replays: { readonly jobs: number; readonly http: number; readonly messages: number };
  readonly breaks: { readonly restart: number; readonly flush: number; readonly rollback: number };
  /** Requests that were captured, and how many of them were ever signed. */
  readonly captured: number;
  readonly signed: number;
  /** Of the items of replayed jobs: what their leads answered. */
  readonly answered: JobReplayer['answered'];
  readonly httpStatuses: Readonly<Record<string, number>>;
  /** The most messages of one request whose rows were kept, and of one whose rows were taken away. */
  readonly kept: MostMessages;
  readonly forgotten: MostMessages;
  readonly perSecond: number;
}

const LANES = 8;
const WAVE = 48;
const WAVE_EVERY_MS = 2_500;
/** Most replays are of requests that could still be signed by somebody. */
const RECENT_MS = 45_000;
const MINUTE_MS = 60_000;

type Captured = SignedRequest & { readonly capturedAt: number };

interface ReplayState {
  readonly vault: TestVault;
  readonly desk: VenueDesk;
  readonly plan: ReplayPlan;
  readonly chance: Chance;
  readonly jobs: JobReplayer;
  readonly given: GivenMessages;
  readonly captured: Captured[];
  readonly ids: Set<string>;
  readonly heads: readonly BatchHead[];
  readonly sealed: string[];
  readonly replays: { jobs: number; http: number; messages: number };
  readonly breaks: { restart: number; flush: number; rollback: number };
  readonly httpStatuses: Record<string, number>;
  readonly startedAt: number;
  isOver: boolean;
}

/** `heads`: that the ledger has, the newest first. */
export async function runReplays(
  vault: TestVault,
  desk: VenueDesk,
  heads: readonly BatchHead[],
  plan: ReplayPlan,
): Promise<ReplayFigures> {
  const ids = new Set<string>();
  const given = await openGivenMessages(vault.servers.ownerUrl, (id) => ids.has(id));
  const jobs = await openJobReplayer(vault, given.noteOutcome);
  const state: ReplayState = {
    ...{ vault, desk, plan, jobs, given, heads, ids },
    chance: createChance(plan.seed),
    captured: [],
    sealed: [],
    replays: { jobs: 0, http: 0, messages: 0 },
    breaks: { restart: 0, flush: 0, rollback: 0 },
    httpStatuses: {},
    startedAt: Date.now(),
    isOver: false,
  };
  try {
    const capturing = capture(state);
    await Promise.all([breakThings(state), ...Array.from({ length: LANES }, () => replay(state))]);
    const { perSecond } = figuresOf(state);
    state.isOver = true;
    await capturing;
    await given.readRows();
    return { ...figuresOf(state), perSecond };
  } finally {
    state.isOver = true;
    await jobs.close();
    await given.close();
  }
}

function figuresOf(state: ReplayState): ReplayFigures {
  const seconds = (Date.now() - state.startedAt) / 1_000;
  const { replays, breaks, ids, given, jobs, httpStatuses } = state;
  return {
    replays,
    breaks,
    captured: ids.size,
    signed: given.countSigned(),
    answered: jobs.answered,
    httpStatuses,
    ...given.most(),
    perSecond: Math.round(count(state) / seconds),
  };
}

function count({ replays }: ReplayState): number {
  return replays.jobs + replays.http + replays.messages;
}

/** New requests all the time; half of them are sent to the gateway, half of them go into jobs first. */
async function capture(state: ReplayState): Promise<void> {
  const sent: Promise<void>[] = [];
  while (!state.isOver) {
    const wave = Array.from({ length: WAVE }, () => newRequest(state));
    for (const request of wave) state.ids.add(request.requestId);
    for (const request of wave) if (state.chance.happens(0.5)) sent.push(send(state, request));
    state.captured.push(...wave);
    const until = Date.now() + WAVE_EVERY_MS;
    while (!state.isOver && Date.now() < until) await setTimeout(50);
  }
  await Promise.all(sent);
}

/** Some callers' clocks are behind, or ahead: what these ask for outlives a restart. */
function newRequest({ desk, chance }: ReplayState): Captured {
  const skew = chance.happens(0.5) ? 0 : chance.between(-1.5 * MINUTE_MS, 4.5 * MINUTE_MS);
  const now = Date.now() + Math.round(skew);
  const request = chance.happens(0.7) ? desk.order(now) : desk.balance(now);
  return { ...request, capturedAt: Date.now() };
}

async function send(state: ReplayState, request: SignedRequest): Promise<void> {
  const { vault, given, httpStatuses } = state;
  const answer = await deliver(vault.baseUrl, request, { prefer: 'wait=1' }).catch(isNoAnswer);
  const status = answer?.status ?? 'none';
  httpStatuses[status] = (httpStatuses[status] ?? 0) + 1;
  if (answer?.status !== 200) return;
  const { receipt } = answer.body as { receipt: { request_id: string; message_sha256: string } };
  given.noteSigned(receipt.request_id, receipt.message_sha256);
}

/** A gateway that was killed answers nobody; an answer that is against the API description is an error. */
function isNoAnswer(error: unknown): undefined {
  if (['TypeError', 'TimeoutError'].includes((error as Error).name)) return undefined;
  throw error;
}

async function replay(state: ReplayState): Promise<void> {
  const { plan, chance, breaks, given } = state;
  const isDone = () =>
    count(state) >= plan.replays &&
    given.countSigned() >= plan.signed &&
    breaks.restart + breaks.flush + breaks.rollback === plan.breaks.length;
  while (!isDone() && !state.isOver) {
    const kind = chance.next();
    if (state.captured.length === 0) await setTimeout(20);
    else if (kind < 0.7) await replayJob(state);
    else if (kind < 0.91) await replayMessages(state);
    else await replayOverHttp(state);
  }
}

async function replayJob(state: ReplayState): Promise<void> {
  const { chance, jobs, sealed, heads } = state;
  const pairs = await jobs.findPairs();
  if (pairs.length === 0) return;
  const pair = chance.pick(pairs);
  state.replays.jobs += MAX_BATCH;
  if (sealed.length > 0 && chance.happens(0.15)) {
    return jobs.submitAgain(pair, chance.pick(sealed));
  }
  const items = Array.from({ length: MAX_BATCH }, () => itemOf(state));
  const [newest] = heads;
  const head = chance.happens(0.9) ? newest! : chance.pick(heads);
  sealed.push(await jobs.submit(pair, head, items));
  if (sealed.length > 100) sealed.shift();
}

function itemOf(state: ReplayState) {
  const { chance } = state;
  const { evidence } = pickRequest(state);
  const now = Date.now();
  const early = chance.happens(0.9) ? 29_000 : 4 * MINUTE_MS;
  return {
    evidence,
    receivedAt: Math.round(now + chance.between(-early, 4_500)),
    nonce: chance.happens(0.8) ? 0n : BigInt(Math.round(now + chance.between(0, 100))) * 1_000n,
    submission: randomBytes(16).toString('hex'),
  };
}

function pickRequest({ captured, chance }: ReplayState): Captured {
  if (chance.happens(0.1)) return chance.pick(captured);
  const newest = captured.at(-1)!.capturedAt;
  const first = captured.findLastIndex(({ capturedAt }) => newest - capturedAt > RECENT_MS) + 1;
  return captured[first + Math.floor(chance.next() * (captured.length - first))]!;
}

/** Each to the replica that it was for, or to another. */
async function replayMessages(state: ReplayState): Promise<void> {
  const { chance, jobs } = state;
  if (jobs.messages.length === 0) return;
  state.replays.messages += MAX_BATCH;
  await Promise.all(
    Array.from({ length: MAX_BATCH }, () => {
      const { message, channel } = chance.pick(jobs.messages);
      const other = chance.happens(0.2) ? chance.pick(jobs.messages).channel : channel;
      return jobs.publish({ channel: other, message });
    }),
  );
}

async function replayOverHttp(state: ReplayState): Promise<void> {
  const burst = Array.from({ length: 16 }, () => pickRequest(state));
  await Promise.all(burst.map((request) => send(state, request)));
  state.replays.http += burst.length;
}

async function breakThings(state: ReplayState): Promise<void> {
  const { plan, jobs, given, breaks } = state;
  for (const [index, { kind, run }] of plan.breaks.entries()) {
    const from = (plan.replays * (index + 1)) / (plan.breaks.length + 1);
    while (count(state) < from && !state.isOver) await setTimeout(10);
    if (kind === 'flush') await jobs.flush();
    if (kind === 'rollback') await given.rollBack();
    await run?.();
    breaks[kind] += 1;
    plan.onFigures?.(figuresOf(state));
  }
}
