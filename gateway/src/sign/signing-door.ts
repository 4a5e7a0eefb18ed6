/** Decides by a request's head alone who is let in to the lane of the key that it names. */
import { isRefusal } from '@countersign/core/errors.js';
import type { SigningOperation } from '@countersign/vault/operations/signing-operation.js';
import type { Exchange } from '../admission/exchange.js';
import { OVERLOADED, type Door } from '../admission/door.js';
import { LANES, laneOf, type Lane } from '../requests/asked-request.js';
import type { Dispatcher } from './dispatcher.js';
import { nameAtDoor, type AdmissionDeps, type SignedIntake } from '../admission/admission.js';

export interface SigningDoor extends Door {
  readonly enter: NonNullable<SignedIntake['enter']>;
}

export type SigningDoorDeps = AdmissionDeps & {
  readonly dispatcher: Pick<Dispatcher, 'isOverloaded' | 'enter'>;
};

/** The door of a route that gives signatures. */
export function createSigningDoor(deps: SigningDoorDeps, operation: SigningOperation): SigningDoor {
  const { follower, dispatcher } = deps;

  /** The lane of the key that the parameters name. */
  function findLane(params: Exchange['params']): Lane {
    const target = operation.findTarget(follower.state, params);
    return laneOf(isRefusal(target) ? undefined : target.key);
  }

  return {
    isCrowded: () => LANES.some((lane) => dispatcher.isOverloaded(lane)),
    refuseHead(request) {
      const who = nameAtDoor(deps, operation, request);
      if (who === undefined) return undefined;
      const isFull = dispatcher.isOverloaded(findLane(who.params), who.credential);
      return isFull ? { refusal: OVERLOADED, attempt: who.attempt } : undefined;
    },
    // called once the body is here, so that nobody who dawdles over one gets others refused
    enter(credential, params) {
      const lane = findLane(params);
      return dispatcher.isOverloaded(lane, credential)
        ? OVERLOADED
        : dispatcher.enter(lane, credential);
    },
  };
}
