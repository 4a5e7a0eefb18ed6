import { BoundedMap } from '@countersign/core/bounded-map.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';

/** The most kept of each party, those heard last: a party can have as many as it says. */
const MAX_REPLICAS = 16;

/** Replicas that have said what only their party can say. Whoever has Redis can invent others, not these. */
export class HeardReplicas {
  /** By replica id; who was heard last is last. */
  readonly #heard = new Map<PartyNumber, BoundedMap<string, true>>(
    PARTY_NUMBERS.map((party) => [party, new BoundedMap(MAX_REPLICAS)]),
  );

  /** A message of the replica has opened. */
  note(from: Replica): void {
    this.#heard.get(from.party)!.put(replicaId(from), true);
  }

  has(replica: Replica): boolean {
    return this.#heard.get(replica.party)!.has(replicaId(replica));
  }
}
