/** Agrees on keys with every replica that shows itself, so that no signature waits for a handshake. */
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';
import type { PartyChannel } from '../channel/party-channel.js';
import type { OwnPresence } from './own-presence.js';

const LOOK_EVERY_MS = 2_000;
/**
 * The most replicas of a party agreed with ahead: anybody in Redis can invent presence. Others agree once there is
 * something to say.
 */
const MAX_AHEAD = 32;

export interface AgreeAheadDeps {
  readonly presence: Pick<OwnPresence, 'findOthers'>;
  readonly channel: Pick<PartyChannel, 'prepare'>;
}

/** To be called once this replica hears what is said to it. */
export function openAgreeAhead({ presence, channel }: AgreeAheadDeps): { stop(): void } {
  async function look(): Promise<void> {
    const others = await presence.findOthers();
    for (const party of PARTY_NUMBERS) {
      const ofParty = others.filter((replica) => replica.party === party);
      for (const replica of ofParty.slice(0, MAX_AHEAD)) channel.prepare(replica);
    }
  }
  const lookQuietly = () => void look().catch(() => undefined);
  lookQuietly();
  return openTicks(LOOK_EVERY_MS, lookQuietly);
}
