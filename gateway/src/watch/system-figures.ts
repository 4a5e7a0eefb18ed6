/** The vault's current figures, as this gateway sees them. */
import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { timeView } from '@countersign/api/common-schema.js';
import { VERSION } from '@countersign/api/operations/service.js';
import type { SystemHistory, SystemOperations } from '@countersign/api/system-operations-schema.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { partyOfQueue } from '@countersign/runtime/jobs/names.js';
import { percentile, totalOf } from '@countersign/runtime/metrics/latency-histogram.js';
import { FREEZE_SCOPES } from '@countersign/vault/state/freezes.js';
import { allFreezes } from '@countersign/vault/views/all-freezes.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { countWaitingRequests } from '@countersign/vault/views/waiting-requests.js';
import type { FigureSources } from './figure-sources.js';
import { readStoredFigures } from './stored-figures.js';
import { createFigureHistory, type FigureHistory, type MinuteFigures } from './figure-history.js';
import { queuedNow, troublesNow } from './watched-troubles.js';
import { between, look, openWindow } from './window.js';

export interface SystemFigures {
  /** At most a second old. Rejects with 504 while the database cannot be asked. */
  read(): Promise<SystemOperations>;
  /** Of the last 24 hours, or since the start of this gateway. */
  readHistory(): SystemHistory;
  stop(): void;
}

const FRESH_MS = 1_000;
const SAMPLE_MS = 5_000;
const MAX_REFUSALS = 50;

/** Looks once a second, however many ask. */
export function openSystemFigures(sources: FigureSources): SystemFigures {
  const { now, tally } = sources;
  const window = openWindow(tally, now);
  const history = createFigureHistory(look(tally, now()));
  const sample = (): void =>
    history.note({
      looked: look(tally, now()),
      queued: queuedNow(sources),
      troubles: troublesNow(sources),
    });
  const sampling = setInterval(sample, SAMPLE_MS).unref();
  let use = performance.eventLoopUtilization();
  let latest: { readonly at: number; readonly figures: Promise<SystemOperations> } | undefined;

  async function figuresNow(): Promise<SystemOperations> {
    const stored = await readStoredFigures(sources.pool, now());
    const before = use;
    use = performance.eventLoopUtilization();
    return {
      at: timeView(now()),
      gateway: gatewayFigures(sources, performance.eventLoopUtilization(use, before)),
      ledger: ledgerFigures(sources),
      parties: PARTY_NUMBERS.map((party) => partyFigures(sources, party)),
      pairs: pairFigures(sources),
      ...requestFigures(sources, window.since()),
      authentication_faults: { ...tally.authenticationFaults },
      too_often: { ...sources.limits.refused },
      freezes: freezeFigures(sources.follower.view.optimistic),
      prices: priceFigures(sources),
      ...stored,
    };
  }

  return {
    read() {
      if (latest === undefined || now() - latest.at >= FRESH_MS) {
        latest = { at: now(), figures: figuresNow() };
      }
      return latest.figures;
    },
    readHistory() {
      sample();
      return historyView(sources, history);
    },
    stop() {
      clearInterval(sampling);
      window.stop();
    },
  };
}

function historyView(
  { gatewayId, startedAt }: FigureSources,
  history: FigureHistory,
): SystemHistory {
  const minutes = history.minutes();
  const times = (pick: (minute: MinuteFigures) => number | undefined) =>
    minutes.map((minute) => {
      const ms = pick(minute);
      return ms === undefined ? null : rounded(ms, 1);
    });
  return {
    gateway_id: gatewayId,
    since: timeView(startedAt),
    minutes: {
      at: minutes.map(({ at }) => timeView(at)),
      answered: minutes.map(({ answered }) => answered),
      succeeded: minutes.map(({ succeeded }) => succeeded),
      denied: minutes.map(({ denied }) => denied),
      failed: minutes.map(({ failed }) => failed),
      p50_ms: times(({ p50 }) => p50),
      p95_ms: times(({ p95 }) => p95),
      p99_ms: times(({ p99 }) => p99),
      queued: PARTY_NUMBERS.map((_, place) => minutes.map(({ queued }) => queued[place] ?? 0)),
    },
    troubles: history.troubles().map(({ kind, parties, scope, from, to }) => ({
      kind,
      parties: [...parties],
      ...(scope !== undefined && { scope }),
      from: timeView(from),
      to: to === undefined ? null : timeView(to),
    })),
  };
}

function gatewayFigures(
  { gatewayId, startedAt, pool, now }: FigureSources,
  { utilization }: EventLoopUtilization,
): SystemOperations['gateway'] {
  const { totalCount: open, idleCount: idle, waitingCount: waiting } = pool;
  return {
    id: gatewayId,
    version: VERSION,
    uptime_s: Math.floor((now() - startedAt) / 1_000),
    event_loop_use: Math.min(1, Math.max(0, rounded(utilization, 3))),
    memory_bytes: process.memoryUsage.rss(),
    database_connections: { open, idle, waiting },
  };
}

function ledgerFigures({ follower, governance }: FigureSources): SystemOperations['ledger'] {
  const { view, confirmedMsAgo, fault } = follower;
  const { state, pending, rules } = view;
  return {
    seq: state.seq,
    hash: state.headHash,
    rules_version: rules,
    confirmed_ms_ago: Math.round(confirmedMsAgo),
    is_stopped: fault !== undefined,
    pending: pending.length,
    oldest_ms: governance.waitingMs === undefined ? null : Math.max(0, governance.waitingMs),
    held: countWaitingRequests(state),
  };
}

function partyFigures(
  { follower, presence, queues, now }: FigureSources,
  party: PartyNumber,
): SystemOperations['parties'][number] {
  const { countersignatures, acknowledged } = follower.view;
  const statement = countersignatures.get(party);
  const at = now();
  return {
    party,
    is_alive: presence.isAlive(party),
    head:
      statement === undefined
        ? null
        : {
            seq: statement.seq,
            at: timeView(statement.at),
            rules_version: statement.rules,
            newest_rules_version: statement.newestRules,
          },
    obeys_seq: acknowledged.get(party) ?? 0,
    replicas: presence.replicas
      .filter((replica) => replica.party === party)
      .map(({ name, isPrimary, isProven, failures, heardMsAgo }) => ({
        name,
        is_primary: isPrimary,
        has_answered: isProven,
        failures,
        heard_ms_ago: Math.round(heardMsAgo),
      })),
    queues: queues.figures.flatMap(({ name, waiting, oldestAt }) => {
      const of = partyOfQueue(name);
      if (of?.party !== party) return [];
      const oldest_ms = oldestAt === undefined ? null : since(oldestAt, at);
      return [{ replica: of.name, depth: waiting, oldest_ms }];
    }),
  };
}

function pairFigures({ presence }: FigureSources): SystemOperations['pairs'] {
  return presence.pairs.map(({ parties, breaker, counts, typicalMs }) => ({
    parties: [...parties],
    breaker,
    ...counts,
    typical_ms: typicalMs === undefined ? null : rounded(typicalMs, 1),
  }));
}

function requestFigures(
  { dispatcher, now }: FigureSources,
  { before, after }: ReturnType<ReturnType<typeof openWindow>['since']>,
): Pick<SystemOperations, 'signing' | 'refusals'> {
  const { seconds, latency, results, refusals } = between(before, after);
  const { waiting, underWay, batches, oldestAt } = dispatcher.figures;
  const at = (share: number) => rounded(percentile(latency, share) ?? 0, 1);
  const some = { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) };
  return {
    signing: {
      window_s: rounded(seconds, 1),
      per_s: rounded(totalOf(latency) / seconds, 1),
      ...results,
      latency: totalOf(latency) === 0 ? null : some,
      waiting,
      oldest_ms: oldestAt === undefined ? null : since(oldestAt, now()),
      under_way: underWay,
      batches,
    },
    refusals: refusals
      .toSorted((a, b) => b.count - a.count || b.total - a.total)
      .slice(0, MAX_REFUSALS),
  };
}

/** Uses the optimistic state: a freeze that waits to be countersigned is already obeyed. */
function freezeFigures(optimistic: VaultState): SystemOperations['freezes'] {
  const freezes = allFreezes(optimistic);
  const by_scope = Object.fromEntries(
    FREEZE_SCOPES.map((scope) => [scope, freezes.filter((one) => one.scope === scope).length]),
  );
  return { total: freezes.length, by_scope };
}

function priceFigures({ prices, now }: FigureSources): SystemOperations['prices'] {
  return {
    state: prices.state(),
    relays: prices
      .newest()
      .map(({ relay, at }) => ({ relay, age_ms: at === undefined ? null : since(at, now()) })),
  };
}

/** At least 0, because another clock may be ahead of this one. */
function since(at: number, now: number): number {
  return Math.max(0, now - at);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
