/** Passkeys in this browser: made at the vault's request, and asked for the signature of a request's digest. */
import {
  startAuthentication,
  startRegistration,
  type RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import type { OperationValue } from '@countersign/client/operation-calls.js';

export type PasskeyOptions = OperationValue<'get-passkey-options'>;

/** Nothing was signed, and why; for people. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
}

const TIMEOUT_MS = 120_000;

/** What `POST /v1/passkeys` wants to know of a passkey. */
export interface MadePasskey {
  readonly credential_id: string;
  readonly public_key: string;
  readonly authenticator_data: string;
}

/** Rejects with PasskeyError. */
export async function makePasskey(options: PasskeyOptions): Promise<MadePasskey> {
  const made = await asked(() =>
    startRegistration({
      optionsJSON: {
        rp: options.rp,
        user: {
          id: options.user.handle,
          name: options.user.name,
          displayName: options.user.display_name,
        },
        // the vault takes no word of the registration for granted: a passkey counts for what it signs
        challenge: base64Url(crypto.getRandomValues(new Uint8Array(32))),
        pubKeyCredParams: options.algorithms.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: options.exclude_credentials.map((id) => ({ type: 'public-key', id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        timeout: TIMEOUT_MS,
      },
    }),
  );
  return passkeyOf(made);
}

/** Signs digests with one of these passkeys. Rejects with PasskeyError. */
export function passkeySigner(
  rpId: string,
  credentialIds: readonly string[],
): (digest: Uint8Array) => Promise<Uint8Array> {
  return async (digest) => {
    const { id, response } = await asked(() =>
      startAuthentication({
        optionsJSON: {
          rpId,
          challenge: base64Url(digest),
          allowCredentials: credentialIds.map((known) => ({ type: 'public-key', id: known })),
          userVerification: 'required',
          timeout: TIMEOUT_MS,
        },
      }),
    );
    const { authenticatorData, clientDataJSON, signature, userHandle } = response;
    const told = { id, response: { authenticatorData, clientDataJSON, signature, userHandle } };
    return new TextEncoder().encode(JSON.stringify(told));
  };
}

function passkeyOf({ id, response }: RegistrationResponseJSON): MadePasskey {
  const { publicKey, authenticatorData } = response;
  if (publicKey === undefined || authenticatorData === undefined) {
    throw new PasskeyError('this browser does not tell the public key of a new passkey');
  }
  return { credential_id: id, public_key: publicKey, authenticator_data: authenticatorData };
}

async function asked<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    throw new PasskeyError(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError') {
    return 'The passkey was not used: the prompt was dismissed or took too long, or you were not verified.';
  }
  if (name === 'InvalidStateError')
    return 'This device has a passkey of yours for this vault already.';
  if (name === 'SecurityError')
    return 'Passkeys of this vault do not belong to the address of this page.';
  return 'This browser could not use a passkey.';
}

function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
