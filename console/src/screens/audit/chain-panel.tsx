/** Reads a chain of the audit log from its beginning, and says whether it hangs together. */
import { useMutation } from '@tanstack/react-query';
import type { OperationCalls } from '@countersign/client/operation-calls.js';
import { Button } from '../../design/button.js';
import { Panel, Quiet, Row } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { useSession } from '../../session/session-store.js';
import { VaultError } from '../../vault/vault-queries.js';
import { CHAIN_START, checkChain, type ChainCheck } from './chain-check.js';

const MOST_ENTRIES = 10_000;

export function ChainPanel() {
  const { calls } = useSession();
  const check = useMutation({ mutationFn: () => checkLedger(calls) });
  return (
    <Panel title="Check the ledger's chain here">
      <Quiet>
        Each entry names the hash of the one before it. This page reads the first {MOST_ENTRIES}{' '}
        entries and looks whether they follow from each other. It takes their hashes as the gateway
        tells them: what a lying gateway could do is found by <code>countersign audit verify</code>{' '}
        alone.
      </Quiet>
      <Row>
        <Button
          disabledBecause={check.isPending ? 'Reading …' : undefined}
          onPress={() => check.mutate()}
        >
          Check the chain
        </Button>
      </Row>
      <Fault error={check.error} />
      {check.data !== undefined && <p role="status">{wordsOf(check.data)}</p>}
    </Panel>
  );
}

function wordsOf({ entries, brokenAt }: ChainCheck): string {
  return brokenAt === undefined
    ? `${entries} entries follow from each other without a gap.`
    : `Entry ${brokenAt} does not follow from the one before it: export the log, verify it, and raise an alarm.`;
}

/** Page by page, each from where the one before ended. */
async function checkLedger(calls: OperationCalls): Promise<ChainCheck> {
  let place = CHAIN_START;
  let entries = 0;
  while (entries < MOST_ENTRIES) {
    const answer = await calls.call('read-audit-chain', {
      params: { chain: 'ledger' },
      query: { after: String(place.seq), limit: '100' },
    });
    if (!answer.ok) throw new VaultError(answer.error);
    const { results } = answer.value;
    const last = results.at(-1);
    if (last === undefined) break;
    const checked = checkChain(results, place);
    entries += results.length;
    if (checked.brokenAt !== undefined) return { entries, brokenAt: checked.brokenAt };
    place = { seq: last.seq, hash: last.hash };
  }
  return { entries };
}
