/** The digest that an approval is for, and how to have it computed again by a machine that trusts nobody. */
import { CopyButton } from '../../design/copy-button.js';
import { CopyableId } from '../../design/copyable-id.js';
import { Fact, Facts } from '../../design/pieces.js';
import { digestOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

const VERIFY = 'npm run --silent countersign -- requests show - --verify';

export function DigestFacts({ record }: { readonly record: RequestRecord }) {
  const digest = digestOf(record);
  return (
    <>
      <Facts>
        <Fact name="Digest, computed here">
          {digest === undefined ? (
            'none: its content is not shown'
          ) : (
            <CopyableId text={digest} what="digest" />
          )}
        </Fact>
        {digest !== undefined && (
          <Fact name="To compare it">
            Copy the record, and on a machine of your own paste it into <code>{VERIFY}</code>. It
            says what is asked, and must print this digest.
          </Fact>
        )}
      </Facts>
      {digest !== undefined && (
        <CopyButton text={JSON.stringify(record)} what="the record for that" />
      )}
    </>
  );
}
