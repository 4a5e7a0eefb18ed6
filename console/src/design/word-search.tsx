/** Finds one of many known words, by it or by what it is called. */
import { useId, useState } from 'react';
import { Button } from './button.js';
import { Field, Row } from './pieces.js';
import { visibleText } from './visible-text.js';

interface WordSearchProps {
  readonly label: string;
  /** With what each is called. */
  readonly words: ReadonlyMap<string, string>;
  readonly onFound: (word: string) => void;
}

export function WordSearch({ label, words, onFound }: WordSearchProps) {
  const listId = useId();
  const [part, setPart] = useState('');
  const word = part.trim();
  const add = () => {
    onFound(word);
    setPart('');
  };
  return (
    <Row>
      <Field label={label}>
        <input
          type="search"
          list={listId}
          value={part}
          onChange={({ target }) => setPart(target.value)}
        />
      </Field>
      {words.has(word) && <Button onPress={add}>Add {visibleText(word)}</Button>}
      <datalist id={listId}>
        {[...words].map(([id, name]) => (
          <option key={id} value={id}>
            {visibleText(name)}
          </option>
        ))}
      </datalist>
    </Row>
  );
}
