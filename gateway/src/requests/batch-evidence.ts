/** The evidence of batches, which their items share: it is stored once for each writer. */
import { decodeSealedEvidence, openEvidence, type Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { queryStore, type Store } from '../stores/ask-store.js';

/** What gateways write; parties write as their numbers. */
export const GATEWAY_WRITER = 0;

/** Who wrote a row about an item, and which item of which batch it is about. */
export interface ItemPlace {
  readonly batchId: string;
  readonly index: number;
  readonly writer: number;
}

/** Opens the evidence of an item; throws if it cannot be read, RangeError if there is none. */
export type OpenBatchEvidence = (place: Pick<ItemPlace, 'batchId' | 'writer'>) => Evidence;

const MAX_EVIDENCE_BYTES = 1_048_576;

const FIND = `SELECT batch_id, writer, evidence FROM unnest($1::uuid[], $2::smallint[]) AS asked (id, by)
  JOIN batch_evidence ON batch_id = asked.id AND writer = asked.by
  WHERE octet_length(evidence) <= ${MAX_EVIDENCE_BYTES}`;

interface EvidenceRow {
  batch_id: string;
  writer: number;
  evidence: Buffer;
}

/** Items of a batch get the same evidence, so that it is opened and read once. */
export async function findBatchEvidence(
  store: Store,
  keys: EvidenceKeys,
  places: readonly ItemPlace[],
): Promise<OpenBatchEvidence> {
  const asked = new Map(places.map((place) => [nameOf(place), place]));
  const found = new Map<string, Buffer>();
  if (asked.size > 0) {
    const values = [
      [...asked.values()].map(({ batchId }) => batchId),
      [...asked.values()].map(({ writer }) => writer),
    ];
    const { rows } = await queryStore<EvidenceRow>(store, FIND, values);
    for (const row of rows) {
      found.set(nameOf({ batchId: row.batch_id, writer: row.writer }), row.evidence);
    }
  }
  const opened = new Map<string, Evidence>();
  return (place) => {
    const name = nameOf(place);
    const sealed = found.get(name);
    if (sealed === undefined) throw new RangeError('the evidence of the batch is not there');
    const evidence = opened.get(name) ?? openEvidence(decodeSealedEvidence(sealed), keys);
    opened.set(name, evidence);
    return evidence;
  };
}

function nameOf({ batchId, writer }: Pick<ItemPlace, 'batchId' | 'writer'>): string {
  return `${batchId} ${writer}`;
}
