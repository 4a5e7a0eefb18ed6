import { useState } from 'react';
import { Button } from './button.js';

/** `what`: as in “Copy the program”. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      setSaid('This browser does not let a page copy: select the text.');
    }
  };
  return (
    <p>
      <Button onPress={() => void copy()}>Copy {what}</Button> <span role="status">{said}</span>
    </p>
  );
}
