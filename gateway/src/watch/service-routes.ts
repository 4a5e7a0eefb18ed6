/** Endpoints that need no credential: health, info, the network catalogue. */
import type { ApiOperation } from '@countersign/api/operation.js';
import {
  SERVICE_NAME,
  SPEC_VERSION,
  VERSION,
  getHealthOperation,
  getInfoOperation,
  getLivenessOperation,
  getReadinessOperation,
  getSignInFactsOperation,
  getSystemInfoOperation,
} from '@countersign/api/operations/service.js';
import { getWebhookKeysOperation } from '@countersign/api/operations/webhooks.js';
import type { WebhookKeys } from '@countersign/api/webhook-schema.js';
import type { health, info, signInFacts } from '@countersign/api/service-schema.js';
import { timeView } from '@countersign/api/common-schema.js';
import { VENUES } from '@countersign/venues/venue-catalogue.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { supportedBlockchainNetworks } from '@countersign/chains/network-catalogue.js';
import {
  issuersOf,
  type IdentityProvider,
} from '@countersign/runtime/tokens/identity-providers.js';
import type { PartyTrouble } from '@countersign/runtime/jobs/replica.js';
import type { PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import type { Redis } from 'ioredis';
import type { PartyNumber } from '@countersign/core/parties.js';
import type * as s from '@countersign/core/shapes.js';
import type { NonceStore } from '../admission/nonce-store.js';
import type { GovernanceWatch } from '../govern/governance-watch.js';
import type { Presence } from '../sign/presence.js';
import type { SigningWatch } from '../sign/signing-watch.js';

const POSTGRES_FRESH_MS = 5_000;

export interface ServiceRoute extends ApiOperation {
  handle(context: ServiceContext): { readonly status: number; readonly body: unknown };
}

export interface ServiceContext {
  readonly follower: LedgerFollower;
  readonly presence: Presence;
  readonly redis: Redis;
  readonly nonces: NonceStore;
  readonly governance: GovernanceWatch;
  readonly signing: Pick<SigningWatch, 'isAlive'>;
  readonly prices: Pick<PriceFeed, 'state'>;
  readonly webhookKeys: WebhookKeys;
  readonly providers: readonly IdentityProvider[];
  readonly startedAt: number;
  readonly isStopping: () => boolean;
  readonly now: () => number;
}

function healthOf(context: ServiceContext): s.InputOf<typeof health> {
  const { follower, presence, redis, nonces, governance, now, startedAt } = context;
  const priceState = context.prices.state();
  const state = (isGood: boolean) => (isGood ? 'ok' : 'unavailable');
  const checks = {
    postgres: state(follower.confirmedMsAgo < POSTGRES_FRESH_MS),
    ledger: state(follower.fault === undefined),
    redis: state(redis.status === 'ready' && nonces.isReady),
    signers: {
      party_1: partyState(presence, 1),
      party_2: partyState(presence, 2),
      party_3: partyState(presence, 3),
    },
    signing: state(context.signing.isAlive),
    governance: state(governance.isAlive),
    pin: state(follower.pinTrouble === undefined),
    ...(priceState !== 'none' && { prices: priceState }),
  } as const;
  const parties = Object.values(checks.signers).filter((value) => value === 'ok').length;
  const isReached = checks.postgres === 'ok' && checks.redis === 'ok';
  const canSign = isReached && parties >= 2 && checks.signing === 'ok';
  return {
    status: canSign ? 'ok' : 'degraded',
    version: VERSION,
    uptime_s: Math.floor((now() - startedAt) / 1000),
    checks,
  };
}

/** A party with a live replica is alive, whatever another one reports. */
function partyState(presence: Presence, party: PartyNumber): 'ok' | 'unavailable' | PartyTrouble {
  return presence.isAlive(party) ? 'ok' : (presence.troubleOf(party) ?? 'unavailable');
}

function signInFactsOf({ follower, providers }: ServiceContext): s.InputOf<typeof signInFacts> {
  const { vaultId, genesisHash, relyingParty } = follower.state;
  return {
    vault_id: vaultId,
    genesis_hash: genesisHash,
    relying_party:
      relyingParty === undefined
        ? null
        : { id: relyingParty.rpId, origins: [...relyingParty.origins] },
    providers: providers.map((provider) => ({
      kind: provider.kind,
      issuer: issuersOf(provider).find((issuer) => issuer.startsWith('http'))!,
      client_id: provider.audiences[0]!,
    })),
  };
}

export const SERVICE_ROUTES: readonly ServiceRoute[] = [
  {
    ...getHealthOperation,
    handle(context) {
      const body = healthOf(context);
      return { status: body.status === 'ok' ? 200 : 503, body };
    },
  },
  {
    ...getWebhookKeysOperation,
    handle: ({ webhookKeys }) => ({ status: 200, body: webhookKeys }),
  },
  {
    ...getLivenessOperation,
    handle: () => ({ status: 200, body: { status: 'ok' } }),
  },
  {
    ...getReadinessOperation,
    handle(context) {
      const isReady = healthOf(context).status === 'ok' && !context.isStopping();
      return isReady
        ? { status: 200, body: { status: 'ok' } }
        : { status: 503, body: { status: 'unavailable' } };
    },
  },
  {
    ...getInfoOperation,
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
          system_freeze:
            state.systemFreeze === null ? null : { at: timeView(state.systemFreeze.at) },
        } satisfies s.InputOf<typeof info>,
      };
    },
  },
  {
    ...getSignInFactsOperation,
    handle: (context) => ({ status: 200, body: signInFactsOf(context) }),
  },
  {
    ...getSystemInfoOperation,
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
