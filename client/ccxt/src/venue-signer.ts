/** The one thing that is asked of the vault: a venue request, signed. */
import type { CallError } from '@countersign/client/call-result.js';
import {
  createCountersignClient,
  type CountersignClient,
  type CountersignClientOptions,
} from '@countersign/client/countersign-client.js';
import { createVenueSignatures } from '@countersign/client/venue-signatures.js';
import type { SignedRequest, UnsignedRequest } from './unsigned-request.js';

export interface VenueSigner {
  /** `channel`: `ws` for a message of a WebSocket. Rejects with SigningFailure. */
  sign(request: UnsignedRequest, channel: 'rest' | 'ws'): Promise<SignedRequest>;
  close(): void;
}

export class SigningFailure extends Error {
  override readonly name = 'SigningFailure';
  readonly callError: CallError;

  constructor(callError: CallError) {
    super(callError.errMsg);
    this.callError = callError;
  }
}

export interface KeyOfVault {
  /** UUID of the key in the vault. */
  readonly keyId: string;
  /** Of one request, approvals included: 60,000 ms when absent. */
  readonly waitMs?: number;
}

/** A client that others use as well is theirs to close. */
export type SignerOptions = KeyOfVault &
  (CountersignClientOptions | { readonly client: Pick<CountersignClient, 'call'> });

const WAIT_MS = 60_000;

/** What is asked for in one turn of the event loop leaves as one request. */
export function createVenueSigner(options: SignerOptions): VenueSigner {
  const { keyId, waitMs = WAIT_MS } = options;
  const own = 'client' in options ? undefined : createCountersignClient(options);
  const client = 'client' in options ? options.client : own!;
  const signatureOf = createVenueSignatures({ client, keyId, waitMs });
  return {
    async sign({ method, path, query, body }, channel) {
      const result = await signatureOf({
        channel,
        method,
        ...(path !== '' && { path }),
        ...(query !== '' && { query }),
        ...(body !== '' && { body }),
      });
      if (!result.ok) throw new SigningFailure(result.error);
      return result.value.request;
    },
    close: () => own?.close(),
  };
}
