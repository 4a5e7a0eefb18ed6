/** The first passkey of somebody whom the provider knows: made with the code that whoever created the user was shown. */
import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { Button } from '../../design/button.js';
import layout from '../../design/layout.module.css';
import { Field, Panel, Quiet } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { linkedCode } from '../../session/enrolment-link.js';
import { enrol, type Newcomer } from '../../session/session.js';
import type { SignInFacts } from '../../session/sign-in-facts.js';

interface EnrolPanelProps {
  readonly facts: SignInFacts;
  readonly newcomer: Newcomer;
  readonly onEnrolled: () => Promise<unknown>;
}

const WHERE_FROM = {
  given:
    'Whoever created your user was shown a code of 24 characters, once: enter it here, and make a passkey on this device.',
  linked: 'The code of your link is below: make a passkey on this device.',
} as const;

const CODE = /^[A-Za-z0-9_-]{24}$/;

export function EnrolPanel({ facts, newcomer, onEnrolled }: EnrolPanelProps) {
  const [code, setCode] = useState(() => linkedCode() ?? '');
  const enrolling = useMutation({
    mutationFn: async () => {
      await enrol(facts, newcomer, code.trim());
      await onEnrolled();
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    enrolling.mutate();
  };
  return (
    <Panel title="Enrol">
      <Quiet>
        The vault does not know you yet.{' '}
        {WHERE_FROM[linkedCode() === undefined ? 'given' : 'linked']} Your device asks twice, first
        to make it and then to sign with it. The code works once.
      </Quiet>
      <form onSubmit={submit} className={layout.stack}>
        <Field label="Enrolment code">
          <input
            value={code}
            onChange={({ target }) => setCode(target.value)}
            autoComplete="one-time-code"
            spellCheck={false}
          />
        </Field>
        <Button
          kind="main"
          type="submit"
          disabledBecause={disabledBecause(code, enrolling.isPending)}
        >
          Make a passkey
        </Button>
      </form>
      <Fault error={enrolling.error} />
    </Panel>
  );
}

function disabledBecause(code: string, isBusy: boolean): string | undefined {
  if (isBusy) return 'Follow what your device asks.';
  return CODE.test(code.trim()) ? undefined : 'A code has 24 letters, digits, - or _.';
}
