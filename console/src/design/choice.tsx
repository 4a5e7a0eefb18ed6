/** One of a few things, from a list that opens. */
import {
  Button,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
} from 'react-aria-components/Select';
import layout from './layout.module.css';
import styles from './picker.module.css';
import { visibleText } from './visible-text.js';

export interface ChoiceProps<Value extends string> {
  readonly label: string;
  /** What is shown of each, by what is chosen with it; in this order. */
  readonly options: Readonly<Record<Value, string>>;
  /** No option: nothing is chosen yet. */
  readonly value: Value | '' | undefined;
  readonly onChange: (value: Value) => void;
}

export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, options, value, onChange } = props;
  return (
    <Select
      className={layout.field!}
      placeholder="Choose …"
      value={value !== undefined && value in options ? value : null}
      onChange={(key) => key !== null && onChange(key as Value)}
    >
      <Label>{label}</Label>
      <Button className={styles.button!}>
        <SelectValue className={styles.value!} />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className={styles.popover!}>
        <ListBox className={styles.list!}>{optionsOf(options)}</ListBox>
      </Popover>
    </Select>
  );
}

export function optionsOf(options: Readonly<Record<string, string>>) {
  return Object.entries(options).map(([id, name]) => (
    <ListBoxItem key={id} id={id} textValue={visibleText(name)} className={styles.option!}>
      {visibleText(name)}
    </ListBoxItem>
  ));
}
