/** One of many things, found by a part of what it is called. */
import { use, useState } from 'react';
import {
  ComboBox,
  ComboBoxStateContext,
  Input,
  Label,
  ListBox,
  Popover,
} from 'react-aria-components/ComboBox';
import { optionsOf } from './choice.js';
import layout from './layout.module.css';
import styles from './picker.module.css';
import { visibleText } from './visible-text.js';

interface SearchChoiceProps {
  readonly label: string;
  /** What each is called, by what is chosen with it; in this order. */
  readonly options: Readonly<Record<string, string>>;
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  /** Whoever is told what is looked for finds the options. Absent: they are all there are, and are looked through here. */
  readonly onSearch?: (part: string) => void;
  /** In the list's place. */
  readonly empty: string;
}

/** What was chosen is chosen no more once somebody looks for something else. */
export function SearchChoice(props: SearchChoiceProps) {
  const { label, options, value, onChange, onSearch, empty } = props;
  const nameOf = (id: string) => visibleText(options[id] ?? '');
  const [text, setText] = useState(value === undefined ? '' : nameOf(value));
  const search = (part: string) => {
    setText(part);
    onSearch?.(part.trim());
    if (value !== undefined) onChange(undefined);
  };
  const choose = (id: string | undefined) => {
    if (id === undefined) return search('');
    setText(nameOf(id));
    onChange(id);
  };
  return (
    <ComboBox
      className={layout.field!}
      inputValue={text}
      onInputChange={(part) => part !== text && search(part)}
      value={value ?? null}
      onChange={(key) => choose(key === null ? undefined : String(key))}
      {...(onSearch !== undefined && { defaultFilter: () => true })}
      allowsEmptyCollection
    >
      <Label>{label}</Label>
      <SearchInput />
      <Popover className={styles.popover!}>
        <ListBox className={styles.list!} renderEmptyState={() => empty}>
          {optionsOf(options)}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

/** By keyboard the list opens with what is typed, or with the arrow keys. */
function SearchInput() {
  const list = use(ComboBoxStateContext);
  return (
    <Input
      className={styles.search!}
      maxLength={128}
      placeholder="Find by a part of a name …"
      onClick={() => list?.open(null, 'manual')}
    />
  );
}
