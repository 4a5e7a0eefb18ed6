/**
 * Pins the newest head that a node has folded, and tries again until the disk takes it: a full disk must not blind a
 * node to freezes. Who relies on a head asks `seq` whether it is pinned.
 */
import { watchTrouble, type Trouble } from '../process/trouble.js';
import { AnotherPinsError, type LedgerPin } from './ledger-pin.js';

/** How long a disk is waited for. After that, the fold shows without its pin. */
export const PIN_WITHIN_MS = 500;
export const PIN_AGAIN_MS = 500;

export interface HeadPinnerOptions {
  /** The head that this node relied on before it started. */
  readonly pinned: LedgerPin | undefined;
  /** Resolves once the head is durable. */
  readonly write: (pin: LedgerPin) => Promise<void>;
  /** Another process pins for this node, which must not go on. */
  onRival(error: AnotherPinsError): void;
  /** Called once each time that the newest head could not be pinned for some seconds. */
  onTrouble(reason: string): void;
}

export interface HeadPinner {
  /** The last entry up to which the ledger is pinned. It only rises. */
  readonly seq: number;
  /** Why the newest head is not pinned; undefined while it is, or is about to be. */
  readonly trouble: string | undefined;
  /** Resolves once the head is pinned or that takes too long: `seq` tells. Never rejects. */
  pin(head: LedgerPin): Promise<void>;
  stop(): void;
}

export function openHeadPinner(options: HeadPinnerOptions): HeadPinner {
  return new RepeatedPinner(options);
}

class RepeatedPinner implements HeadPinner {
  readonly #options: HeadPinnerOptions;
  readonly #trouble: Trouble;
  #seq: number;
  #newest: LedgerPin | undefined;
  #isStopped = false;
  #writing: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor(options: HeadPinnerOptions) {
    const { pinned, onTrouble } = options;
    this.#options = options;
    this.#seq = pinned?.seq ?? 0;
    this.#newest = pinned;
    this.#trouble = watchTrouble({
      onLasting: (reason) => onTrouble(`the pin is not written: ${reason}`),
    });
  }

  get seq(): number {
    return this.#seq;
  }

  get trouble(): string | undefined {
    return this.#trouble.reason;
  }

  async pin(head: LedgerPin): Promise<void> {
    if (this.#isStopped || head.seq <= (this.#newest?.seq ?? 0)) return;
    this.#newest = head;
    const { reason } = this.#trouble;
    // a disk that has just failed is tried again in the background, and nobody waits for it
    if (reason !== undefined) return this.#trouble.note(reason);
    const late = () => this.#trouble.note('the disk is slow');
    await endsWithin(this.#run(), PIN_WITHIN_MS, late);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#again);
  }

  /** Writes come one after the other, since they share a file. */
  #run(): Promise<void> {
    this.#writing ??= this.#writeNewest().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async #writeNewest(): Promise<void> {
    while (!this.#isStopped && this.#newest !== undefined && this.#newest.seq > this.#seq) {
      const head = this.#newest;
      try {
        await this.#options.write(head);
      } catch (error) {
        this.#fail(error);
        return;
      }
      this.#seq = head.seq;
    }
    this.#trouble.end();
  }

  #fail(error: unknown): void {
    if (error instanceof AnotherPinsError) {
      this.stop();
      this.#options.onRival(error);
      return;
    }
    this.#trouble.note(error instanceof Error ? error.message : String(error));
    if (this.#isStopped) return;
    this.#again = setTimeout(() => void this.#run(), PIN_AGAIN_MS);
  }
}

/** Resolves when the work is done, or after `ms`: then `late` is called first. */
async function endsWithin(work: Promise<void>, ms: number, late: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      late();
      resolve();
    }, ms);
  });
  await Promise.race([work, overdue]);
  clearTimeout(timer);
}
