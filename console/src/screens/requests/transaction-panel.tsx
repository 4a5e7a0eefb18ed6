/** What a transaction does, instruction by instruction, and whose signatures it needs. */
import { CopyableId } from '../../design/copyable-id.js';
import { Badge, Fact, Facts, Name, Quiet } from '../../design/pieces.js';
import type { RequestRecord } from './shown-record.js';
import {
  transactionIn,
  type InstructionRead,
  type TransactionReadHere,
} from './transaction-reading.js';

/** Nothing where no transaction is in the request. */
export function TransactionPanel({ record }: { readonly record: RequestRecord }) {
  const reading = transactionIn(record);
  if (reading === undefined) return null;
  if ('unreadable' in reading) {
    return (
      <>
        <h3>The transaction cannot be read here</h3>
        <Quiet>{reading.unreadable}: judge it by its bytes.</Quiet>
      </>
    );
  }
  return <Reading reading={reading} />;
}

interface PartProps {
  readonly reading: TransactionReadHere;
}

function Reading({ reading }: PartProps) {
  const { steps, differsIn } = reading;
  return (
    <>
      <h3>The transaction, read here</h3>
      {differsIn.length > 0 && (
        <p role="alert">
          <Badge mood="bad">another reading</Badge> The gateway says otherwise of its{' '}
          {differsIn.join(' and ')} than these bytes do: do not approve it, and raise an alarm.
        </p>
      )}
      <Facts>
        {steps.map((step, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- instructions are never reordered
          <Fact key={place} name={`Instruction ${place + 1}`}>
            <Instruction step={step} />
          </Fact>
        ))}
        {steps.length === 0 && <Fact name="Instructions">none: it moves nothing but the fee</Fact>}
        <Signers reading={reading} />
      </Facts>
      {steps.some(({ does }) => 'unknownBecause' in does) && (
        <p>
          <Badge mood="warn">unknown</Badge> An instruction that is not read here may move anything,
          also by calling other programs: compare it with what whoever asked has.
        </p>
      )}
    </>
  );
}

function Instruction({ step: { program, programId, does } }: { readonly step: InstructionRead }) {
  return (
    <>
      {'moves' in does && (
        <>
          <strong>
            <Name text={does.moves} />
          </strong>{' '}
          to <CopyableId text={does.to} what="destination" />{' '}
        </>
      )}
      {'movesNothing' in does && (
        <>
          moves nothing{does.movesNothing !== '' && ', '}
          <Name text={does.movesNothing} />{' '}
        </>
      )}
      {'unknownBecause' in does && (
        <>
          <Badge mood="warn">unknown</Badge> {does.unknownBecause}{' '}
        </>
      )}
      {program === undefined ? (
        <CopyableId text={programId} what="program" />
      ) : (
        `(program ${program})`
      )}
    </>
  );
}

function Signers({ reading }: PartProps) {
  const { network, feePayer, needsWallet, otherSigners, usesLookupTables } = reading;
  return (
    <>
      <Fact name="Network">{network}</Fact>
      <Fact name="Pays the fee">
        <CopyableId text={feePayer} what="fee payer" />
      </Fact>
      {!needsWallet && (
        <Fact name="This wallet">
          <Badge mood="bad">is none of its signers</Badge>
        </Fact>
      )}
      {otherSigners.length > 0 && (
        <Fact name="Others sign it, too">
          {otherSigners.map((one) => (
            <CopyableId key={one} text={one} what="signer" />
          ))}
        </Fact>
      )}
      {usesLookupTables && (
        <Fact name="Lookup tables">
          <Badge mood="warn">unknown</Badge> some of its accounts stand in tables on chain
        </Fact>
      )}
    </>
  );
}
