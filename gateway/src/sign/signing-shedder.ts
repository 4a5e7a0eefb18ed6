/** Decides by a request's head alone who is let in to the lane of the key that it names. */
import type { RequestTarget } from '@countersign/api/requests/api-request.js';
import { isRefusal } from '@countersign/core/errors.js';
import type { SigningOperation } from '@countersign/vault/operations/signing-operation.js';
import type { Exchange } from '../admission/exchange.js';
import { OVERLOADED, type LoadShedder } from '../admission/load-shedder.js';
import { LANES, laneOf, type Lane } from '../requests/asked-request.js';
import type { Asks } from './admission-control.js';
import type { Dispatcher } from './dispatcher.js';
import { nameAtHead, type AdmissionDeps, type SignedIntake } from '../admission/admission.js';

export interface SigningShedder extends LoadShedder {
  readonly enter: NonNullable<SignedIntake['enter']>;
}

export type SigningShedderDeps = AdmissionDeps & {
  readonly dispatcher: Pick<Dispatcher, 'isOverloaded' | 'enter'>;
};

/** The shedder of a route that gives signatures. */
export function createSigningShedder(
  deps: SigningShedderDeps,
  operation: RequestTarget & Pick<SigningOperation, 'findTarget'>,
  asks: Asks,
): SigningShedder {
  const { follower, dispatcher } = deps;

  /** The lane of the key that the parameters name. */
  function findLane(params: Exchange['params']): Lane {
    const target = operation.findTarget(follower.state, params);
    return laneOf(isRefusal(target) ? undefined : target.key);
  }

  return {
    isCrowded: () => LANES.some((lane) => dispatcher.isOverloaded(lane, asks)),
    refuseHead(request) {
      const who = nameAtHead(deps, operation, request);
      if (who === undefined) return undefined;
      const isFull = dispatcher.isOverloaded(findLane(who.params), asks, who.credential);
      return isFull ? { refusal: OVERLOADED, attempt: who.attempt } : undefined;
    },
    // called once the body is here, so that nobody who dawdles over one gets others refused
    enter(credential, params) {
      const lane = findLane(params);
      return dispatcher.isOverloaded(lane, asks, credential)
        ? OVERLOADED
        : dispatcher.enter(lane, asks, credential);
    },
  };
}
