import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';

/** Of each party, those heard last: a party can have as many as it says. */
const MAX_REPLICAS = 16;

/** Replicas that have said something that only their party can say: whoever has Redis can invent others, not these. */
export class HeardReplicas {
  /** By replica id; who was heard last is last. */
  readonly #heard = new Map<PartyNumber, Set<string>>(
    PARTY_NUMBERS.map((party) => [party, new Set()]),
  );

  /** A message of it has opened. */
  note(from: Replica): void {
    const heard = this.#heard.get(from.party)!;
    const id = replicaId(from);
    heard.delete(id);
    heard.add(id);
    if (heard.size > MAX_REPLICAS) heard.delete(heard.values().next().value!);
  }

  has(replica: Replica): boolean {
    return this.#heard.get(replica.party)!.has(replicaId(replica));
  }
}
