/** Options for creating a passkey. Its caller may have proven no more than a valid token and a code. */
import { passkeyOptionsOperation } from '@countersign/api/operations/passkeys.js';
import { deny } from '@countersign/core/denials.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { findCaller } from '@countersign/vault/authentication/authenticate.js';
import { findByEnrollmentCode } from '@countersign/vault/authentication/enrolment-code.js';
import { INVALID_CREDENTIALS } from '@countersign/vault/authentication/refused-credential.js';
import { parseInput } from '@countersign/vault/operations/operation-input.js';
import { passkeysOf, userHandleOf } from '@countersign/vault/state/passkey-owner.js';
import type { User, VaultState } from '@countersign/vault/state/state.js';
import type * as s from '@countersign/core/shapes.js';
import { sendEarlyRefusal } from '../http/early-refusal.js';
import { sendWrongContentType } from '../http/error-response.js';
import { isPlainJson } from '../http/read-body.js';
import type { Route } from '../http/route.js';
import { sendJson } from '../http/send-json.js';
import {
  admitNewcomer,
  type AdmissionDeps,
  type NewcomerExchange,
} from '../admission/admission.js';

type Options = s.InputOf<typeof passkeyOptionsOperation.response>;

/** EdDSA, ES256, RS256 (IANA COSE algorithms). */
const ALGORITHMS = [-8, -7, -257];
const SERVICE_NAME = 'Countersign';

export function passkeyOptionsRoute(deps: AdmissionDeps): Route {
  const { method, path } = passkeyOptionsOperation;
  return {
    method,
    path,
    async handle(request, response) {
      if (!isPlainJson(request)) return sendWrongContentType(response);
      const exchange = await admitNewcomer(deps, passkeyOptionsOperation, request, response);
      const answer = isRefusal(exchange)
        ? exchange
        : passkeyOptionsFor(deps.follower.state, exchange, deps.now());
      if (isRefusal(answer)) return sendEarlyRefusal(response, answer);
      sendJson(response, 200, answer);
    },
  };
}

/** `now` in ms. */
export function passkeyOptionsFor(
  state: VaultState,
  { token, params, target, body }: Pick<NewcomerExchange, 'token' | 'params' | 'target' | 'body'>,
  now: number,
): Options | Refusal {
  const input = parseInput(passkeyOptionsOperation, { params, query: target.query, body });
  if (isRefusal(input)) return input;
  const { relyingParty } = state;
  if (relyingParty === undefined) {
    return deny('no_people');
  }
  const { enrollment_code: code, enrollment_public_key: key } = input.body;
  const known = code ?? key;
  const user =
    known === undefined
      ? findCaller(state, 'Bearer', token, now)
      : findByEnrollmentCode(state, token, known, now);
  return isRefusal(user) ? user : optionsOf(user, relyingParty);
}

function optionsOf(
  user: User,
  { rpId, origins }: NonNullable<VaultState['relyingParty']>,
): Options | Refusal {
  if (user.type !== 'human') return refuse('unauthorized', INVALID_CREDENTIALS);
  return {
    rp: { id: rpId, name: SERVICE_NAME },
    origins: [...origins],
    user: {
      id: user.id,
      handle: userHandleOf(user.id),
      name: user.email,
      display_name: user.displayName,
    },
    algorithms: ALGORITHMS,
    user_verification: 'required',
    exclude_credentials: passkeysOf(user).map(({ credentialId }) => credentialId),
  };
}
