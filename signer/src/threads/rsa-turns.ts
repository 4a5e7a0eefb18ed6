import type { Piscina } from 'piscina';

/**
 * Says which pool makes the next RSA signature. The first signature starts the threads of `rsa`; until all have
 * started, the slow pool signs, so that no signature waits for their start. Throws once they could not start. `open`:
 * starts the threads of `rsa` and rejects when one cannot.
 */
export function createRsaTurns(
  { slow, rsa }: { readonly slow: Piscina; readonly rsa: Piscina },
  open: () => Promise<void>,
): () => Piscina {
  let pool = slow;
  let opening: Promise<void> | undefined;
  let failure: Error | undefined;
  return () => {
    opening ??= open().then(
      () => {
        pool = rsa;
      },
      (error: unknown) => {
        failure = new Error('the threads for RSA could not start', { cause: error });
      },
    );
    if (failure !== undefined) throw failure;
    return pool;
  };
}
