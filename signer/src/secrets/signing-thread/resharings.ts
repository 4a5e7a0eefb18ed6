/** The resharings under way in one thread. */
import type { FromParty } from '../../threads/resharing-tasks.js';
import type { Dealing, ResharingPlace, TakenShare } from '../resharing/dealing.js';
import { SecretSessions } from './secret-sessions.js';

/** A party's state in a resharing. */
export interface Resharing extends ResharingPlace {
  /** Undefined at the third party. */
  readonly dealing: Dealing | undefined;
  words: readonly FromParty[];
  taken: { readonly share: TakenShare; readonly transcript: Uint8Array } | undefined;
}

export function createResharings(options: {
  readonly limit: number;
  readonly lifetimeMs: number;
}): SecretSessions<Resharing> {
  return new SecretSessions<Resharing>({
    ...options,
    what: 'resharing',
    discard({ dealing, taken }) {
      dealing?.wipe();
      taken?.share.wipe();
    },
  });
}
