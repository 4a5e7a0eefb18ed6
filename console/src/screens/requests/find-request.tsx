/** Opens the page of any request by its id: also of one that was signed at once, which no list of requests has. */
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { Button } from '../../design/button.js';
import { Field } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import styles from './find-request.module.css';
import { requestIdIn } from './request-id-in.js';

export function FindRequest() {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const requestId = requestIdIn(text);
    if (requestId === undefined) {
      setFault('That is no request id. It looks like 019a7c1e-5b1f-8d2e-9c3a-0f4b6d8e2a71.');
      return;
    }
    void navigate({ to: '/requests/$requestId', params: { requestId } });
  };
  return (
    <form className={styles.find} role="search" aria-label="Any request" onSubmit={submit}>
      <Field label="Open any request by its id">
        <input
          type="search"
          value={text}
          maxLength={128}
          spellCheck={false}
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
      <Button type="submit">Open the request</Button>
      <Fault error={fault} />
    </form>
  );
}
