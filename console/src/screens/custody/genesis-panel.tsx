/** The genesis that somebody trusts, brought from a party's machine: by it this page checks addresses for itself. */
import { useState } from 'react';
import type { PinnedVault } from '@countersign/client/pinned-vault.js';
import { Button } from '../../design/button.js';
import { Field, Panel, Quiet, Row } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { keepGenesis, pinnedFrom } from './address-check.js';

interface GenesisPanelProps {
  readonly pinned: PinnedVault | undefined;
  readonly onPin: (pinned: PinnedVault) => void;
}

export function GenesisPanel({ pinned, onPin }: GenesisPanelProps) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const keep = () => {
    const given = pinnedFrom(text);
    if (given === undefined) return setFault('This is not what `countersign genesis` prints.');
    keepGenesis(text);
    setFault(undefined);
    onPin(given);
  };
  return (
    <Panel title="Check addresses here">
      {pinned === undefined ? (
        <Quiet>
          So far only the gateway vouches for these addresses. Run <code>countersign genesis</code>{' '}
          on the machine of a party, and paste what it prints: then this page checks every address
          against the signatures of the three parties.
        </Quiet>
      ) : (
        <Quiet>
          Addresses are checked against the parties of genesis <code>{pinned.genesisHash}</code>.
        </Quiet>
      )}
      <Field label="What countersign genesis prints (JSON)">
        <textarea rows={3} value={text} onChange={({ target }) => setText(target.value)} />
      </Field>
      <Fault error={fault} />
      <Row>
        <Button disabledBecause={text.trim() === '' ? 'Paste it first.' : undefined} onPress={keep}>
          Trust this genesis in this browser
        </Button>
      </Row>
    </Panel>
  );
}
