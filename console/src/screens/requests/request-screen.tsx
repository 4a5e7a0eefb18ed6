/** One request: what it says, why it waits, what happened to it, and what the viewer can do about it. */
import { Link, useParams } from '@tanstack/react-router';
import { CopyableId } from '../../design/copyable-id.js';
import {
  Block,
  Disclosure,
  Fact,
  Facts,
  Panel,
  Quiet,
  Row,
  Screen,
  Time,
} from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { KeyLink, UserLink, VaultLink } from '../../vault/names.js';
import { ReasonText } from '../../vault/reason-text.js';
import { useRead } from '../../vault/vault-queries.js';
import { AskingRules } from './asking-rules.js';
import { BatchFact, BatchItems } from './batch-facts.js';
import { DecisionBar } from './decision-bar.js';
import { completionWords } from './completion-words.js';
import { DigestFacts } from './digest-facts.js';
import { OrderInRequest } from './order-in-request.js';
import {
  asksTransaction,
  asksVenue,
  contentTextOf,
  messageTextOf,
  signerOf,
  type Signer,
} from './request-content.js';
import { titleOf } from './order-reading.js';
import { ReceiptPanel } from './receipt-panel.js';
import { RequestFacts } from './request-facts.js';
import { venueWordOf } from './signer-venue.js';
import type { RequestRecord } from './shown-record.js';
import { RequestTimeline } from './request-timeline.js';
import { StatusBadge } from './status-badge.js';

const LOOK_MS = 3_000;

export function RequestScreen() {
  const { requestId } = useParams({ from: '/requests/$requestId' });
  const { data, error, isPending } = useRead(
    'get-request',
    { params: { request_id: requestId } },
    { everyMs: LOOK_MS },
  );
  const title = data === undefined ? undefined : titleOf(data);
  return (
    <Screen title="Request" lead={title}>
      <Row>
        <Link to="/">All that waits for you</Link>
        <Link to="/requests">All requests</Link>
        <Link to="/audit" search={{ request_id: requestId }}>
          Its audit entries
        </Link>
      </Row>
      {isPending && <Quiet>Loading the request …</Quiet>}
      <Fault error={error} />
      {data !== undefined && <RequestView key={requestId} record={data} requestId={requestId} />}
      {data !== undefined && <DecisionBar key={`${requestId} bar`} record={data} title={title!} />}
    </Screen>
  );
}

interface RequestViewProps {
  readonly record: RequestRecord;
  readonly requestId: string;
}

function RequestView({ record, requestId }: RequestViewProps) {
  return (
    <>
      <Panel title="What is asked">
        <AskedFacts record={record} requestId={requestId} />
        <SignedContent record={record} />
      </Panel>
      <BatchItems record={record} />
      <AskingRules record={record} />
      {record.receipt !== undefined && (
        <div id="receipt">
          <ReceiptPanel record={record} requestId={requestId} />
        </div>
      )}
      <RequestTimeline record={record} />
    </>
  );
}

function AskedFacts({ record, requestId }: RequestViewProps) {
  const completed = completionWords(record);
  const { error, batch, content, facts } = record;
  return (
    <Facts>
      <Fact name="Status">
        <StatusBadge record={record} />
      </Fact>
      {error !== undefined && (
        <Fact name={record.status === 'completed' ? 'Held back now' : 'Because'}>
          <ReasonText text={error.err_msg} />
        </Fact>
      )}
      {completed !== undefined && <Fact name="“Completed” means">{completed}</Fact>}
      {record.receipt !== undefined && (
        <Fact name="Signed by">
          {record.receipt.parties.map((party) => `party ${party}`).join(' and ')},{' '}
          <Time at={record.receipt.signed_at} /> · <a href="#receipt">Its receipt</a>
        </Fact>
      )}
      <Fact name="Operation">{record.operation}</Fact>
      <Fact name="Request id">
        <CopyableId text={requestId} what="request id" />
      </Fact>
      {batch !== undefined && <BatchFact batch={batch} itemId={requestId} />}
      {content !== undefined && <SignerFact signer={signerOf(content)} />}
      <Fact name="Asked by">
        <UserLink id={record.created_by} />
      </Fact>
      <Fact name="Asked at">
        <Time at={record.created_at} isExact />
      </Fact>
      {record.expires_at !== null && record.status === 'processing' && (
        <Fact name="Can be approved until">
          <Time at={record.expires_at} isExact />
        </Fact>
      )}
      {facts !== undefined && (
        <RequestFacts
          facts={facts}
          isReadHere={asksVenue(record) || asksTransaction(record)}
          venueWord={venueWordOf(record)}
        />
      )}
    </Facts>
  );
}

function SignerFact({ signer }: { readonly signer: Signer | undefined }) {
  if (signer === undefined) return null;
  if ('keyId' in signer) {
    return (
      <Fact name="Key">
        <KeyLink id={signer.keyId} />
      </Fact>
    );
  }
  return (
    <Fact name="Wallet">
      <CopyableId text={signer.address} what="address" /> in <VaultLink id={signer.vaultId} />
    </Fact>
  );
}

/** The bytes that were signed by whoever asked: what an approval is for, whatever the reading above says. */
function SignedContent({ record }: { readonly record: RequestRecord }) {
  const { content } = record;
  if (content === undefined) {
    return (
      <Quiet>Its content is shown while it waits, and of a signature once it is decided.</Quiet>
    );
  }
  const message = messageTextOf(record);
  return (
    <>
      <OrderInRequest record={record} />
      {record.status === 'processing' ? (
        <>
          <h3>What you would sign for, byte by byte</h3>
          <Block label="The request as it was sent" text={contentTextOf(content)} />
        </>
      ) : (
        <Disclosure title="What was asked for, byte by byte">
          <Block label="The request as it was sent" text={contentTextOf(content)} />
        </Disclosure>
      )}
      {message !== undefined && (
        <>
          <h3>Its message, read as text</h3>
          <Block label="Its message, read as text" text={message} />
        </>
      )}
      {record.digest !== undefined && <DigestFacts record={record} />}
    </>
  );
}
