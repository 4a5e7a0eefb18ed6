/** Endpoints that need no credential: health, info, the network catalogue. */
import { health, info, probe, systemInfo } from '@countersign/api/service-schema.js';
import { timeView } from '@countersign/api/common-schema.js';
import { VENUES } from '@countersign/venues/venue-catalogue.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { supportedBlockchainNetworks } from '@countersign/chains/network-catalogue.js';
import type { RequestTarget } from '@countersign/vault/operations/operation.js';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { NonceStore } from '../authentication/nonce-store.js';
import type { Presence } from '../signing/presence.js';

export const SERVICE_NAME = 'Countersign';
export const VERSION = '0.1.0';
const SPEC_VERSION = '0.3.0';
const POSTGRES_FRESH_MS = 5_000;

export interface ServiceRoute extends RequestTarget {
  readonly id: string;
  readonly summary: string;
  readonly responses: Readonly<Record<number, z.ZodType>>;
  handle(context: ServiceContext): { readonly status: number; readonly body: unknown };
}

export interface ServiceContext {
  readonly follower: LedgerFollower;
  readonly presence: Presence;
  readonly redis: Redis;
  readonly nonces: NonceStore;
  readonly startedAt: number;
  readonly isStopping: () => boolean;
  readonly now: () => number;
}

function healthOf(context: ServiceContext): z.input<typeof health> {
  const { follower, presence, redis, nonces, now, startedAt } = context;
  const state = (isGood: boolean) => (isGood ? 'ok' : 'unavailable');
  const checks = {
    postgres: state(now() - follower.confirmedAt < POSTGRES_FRESH_MS),
    redis: state(redis.status === 'ready' && nonces.isReady),
    signers: {
      party_1: state(presence.isAlive(1)),
      party_2: state(presence.isAlive(2)),
      party_3: state(presence.isAlive(3)),
    },
  } as const;
  const parties = Object.values(checks.signers).filter((value) => value === 'ok').length;
  const canSign = checks.postgres === 'ok' && checks.redis === 'ok' && parties >= 2;
  return {
    status: canSign ? 'ok' : 'degraded',
    version: VERSION,
    uptime_s: Math.floor((now() - startedAt) / 1000),
    checks,
  };
}

export const SERVICE_ROUTES: readonly ServiceRoute[] = [
  {
    id: 'get-health',
    method: 'GET',
    path: '/health',
    summary: 'Whether the service can sign',
    responses: { 200: health, 503: health },
    handle(context) {
      const body = healthOf(context);
      return { status: body.status === 'ok' ? 200 : 503, body };
    },
  },
  {
    id: 'get-liveness',
    method: 'GET',
    path: '/health/live',
    summary: 'Whether the process answers',
    responses: { 200: probe },
    handle: () => ({ status: 200, body: { status: 'ok' } }),
  },
  {
    id: 'get-readiness',
    method: 'GET',
    path: '/health/ready',
    summary: 'Whether this gateway should get traffic',
    responses: { 200: probe, 503: probe },
    handle(context) {
      const { checks } = healthOf(context);
      const isReady = checks.postgres === 'ok' && checks.redis === 'ok' && !context.isStopping();
      return isReady
        ? { status: 200, body: { status: 'ok' } }
        : { status: 503, body: { status: 'unavailable' } };
    },
  },
  {
    id: 'get-info',
    method: 'GET',
    path: '/v1/info',
    summary: 'Name, versions, time and ledger head',
    responses: { 200: info },
    handle({ follower, now }) {
      const { state } = follower;
      const time = now();
      return {
        status: 200,
        body: {
          name: SERVICE_NAME,
          version: VERSION,
          spec_version: SPEC_VERSION,
          server_time: timeView(time),
          server_time_ms: time,
          vault_id: state.vaultId,
          genesis_hash: state.genesisHash,
          ledger_head: { seq: state.seq, hash: state.headHash },
        } satisfies z.input<typeof info>,
      };
    },
  },
  {
    id: 'get-system-info',
    method: 'GET',
    path: '/v1/system-info',
    summary: 'Supported networks, assets and venues',
    responses: { 200: systemInfo },
    handle: ({ follower }) => ({
      status: 200,
      body: {
        supported_blockchain_networks: supportedBlockchainNetworks(
          follower.state.settings.testnetsEnabled,
        ),
        supported_venues: VENUES.map((venue) => ({
          id: venue.id,
          display_name: venue.displayName,
          key_types: Object.keys(venue.schemes),
          operation_classes: [...venue.operationClasses],
        })),
      },
    }),
  },
];
