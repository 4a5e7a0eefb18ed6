/** A list whose order means something: changed by drag, or by two buttons beside each item, and told when it has changed. */
import { useState, type DragEvent, type ReactNode } from 'react';
import { Button } from './button.js';
import { Unseen } from './pieces.js';
import styles from './ordered-list.module.css';
import { visibleText } from './visible-text.js';

interface OrderedListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  readonly children: (item: Item, place: number) => ReactNode;
  /** Places from 0. Absent: the order cannot be changed. */
  readonly onMove?: ((item: Item, to: number) => void) | undefined;
}

export function OrderedList<Item>(props: OrderedListProps<Item>) {
  const { label, items, keyOf, nameOf, children, onMove } = props;
  const [dragged, setDragged] = useState<string>();
  const [told, setTold] = useState('');
  const move = (item: Item, to: number) => {
    onMove?.(item, to);
    setTold(`${visibleText(nameOf(item))} is now number ${to + 1} of ${items.length}.`);
  };
  const drop = (event: DragEvent, to: number) => {
    event.preventDefault();
    const item = items.find((one) => keyOf(one) === dragged);
    setDragged(undefined);
    if (item !== undefined) move(item, to);
  };
  return (
    <>
      <ol className={styles.list} aria-label={label}>
        {items.map((item, place) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons beside it do the same
          <li
            key={keyOf(item)}
            className={`${styles.item} ${dragged === keyOf(item) ? styles.dragged : ''}`}
            draggable={onMove !== undefined}
            onDragStart={() => setDragged(keyOf(item))}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={(event) => drop(event, place)}
          >
            <span className={styles.place} aria-hidden="true">
              {place + 1}
            </span>
            <div className={styles.content}>{children(item, place)}</div>
            {onMove !== undefined && (
              <Movers
                name={nameOf(item)}
                isFirst={place === 0}
                isLast={place === items.length - 1}
                onMove={(by) => move(item, place + by)}
              />
            )}
          </li>
        ))}
      </ol>
      <p role="status">
        <Unseen>{told}</Unseen>
      </p>
    </>
  );
}

interface MoversProps {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: -1 | 1) => void;
}

/** They stay where they are at both ends, so that the focus does, too. */
function Movers({ name, isFirst, isLast, onMove }: MoversProps) {
  return (
    <div className={styles.movers}>
      <Button onPress={() => !isFirst && onMove(-1)}>
        <span aria-hidden="true">↑</span>
        <Unseen>Move {visibleText(name)} up</Unseen>
      </Button>
      <Button onPress={() => !isLast && onMove(1)}>
        <span aria-hidden="true">↓</span>
        <Unseen>Move {visibleText(name)} down</Unseen>
      </Button>
    </div>
  );
}
