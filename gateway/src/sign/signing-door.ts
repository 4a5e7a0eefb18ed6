/** Who is let in on the way to the lane of the key that they name, and who is turned away by their head alone. */
import { isRefusal } from '@countersign/core/errors.js';
import type { SigningOperation } from '@countersign/vault/operations/signing-operation.js';
import type { NamedCaller } from '../admission/authenticate-request.js';
import type { Exchange } from '../admission/exchange.js';
import type { Door } from '../admission/door.js';
import { OVERLOADED, type Entrance } from '../admission/entrance.js';
import { LANES, laneOf, type Lane } from '../requests/asked-request.js';
import type { SigningDeps } from './handle-signing-operation.js';
import { nameAtDoor, type AdmissionDeps, type SignedIntake } from '../admission/admission.js';

/** Of each lane its own. */
export type Entrances = Readonly<Record<Lane, Entrance>>;

export interface SigningDoor extends Door {
  readonly enter: NonNullable<SignedIntake['enter']>;
}

/** The door of a route that gives signatures. */
export function createSigningDoor(
  deps: AdmissionDeps & SigningDeps,
  operation: SigningOperation,
  entrances: Entrances,
): SigningDoor {
  const { follower, dispatcher } = deps;

  /** The entrance to the lane of what is named, and whether the lane itself has no room for one more of that caller. */
  function findLane({ callerId, credential }: NamedCaller, params: Exchange['params']) {
    const target = operation.findTarget(follower.state, params);
    const lane = laneOf(isRefusal(target) ? undefined : target.key);
    const entrance = entrances[lane];
    const ahead = entrance.aheadOf(callerId);
    return { entrance, isFull: dispatcher.isOverloaded(lane, credential, ahead) };
  }

  return {
    isCrowded: () =>
      LANES.some((lane) => {
        const { isLate, inside } = entrances[lane];
        return isLate || dispatcher.isCrowded(lane, inside);
      }),
    refuseHead(request) {
      const who = nameAtDoor(deps, operation, request);
      if (who === undefined) return undefined;
      const { entrance, isFull } = findLane(who.named, who.params);
      const isOpen = !isFull && !entrance.isShutTo(who.named.callerId);
      return isOpen ? undefined : { refusal: OVERLOADED, attempt: who.attempt };
    },
    enter(named, params) {
      const { entrance, isFull } = findLane(named, params);
      return isFull ? OVERLOADED : entrance.enter(named.callerId);
    },
  };
}
