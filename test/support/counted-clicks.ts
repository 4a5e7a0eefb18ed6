/** What somebody with a mouse does at a page, by what they see alone, counted. */
import type { Locator, Page } from 'playwright-core';
import { settled } from './console-browser.ts';

export interface CountedClicks {
  /** A field that is written into is clicked first where it has not the focus; a list that is chosen from is one click. */
  readonly clicks: () => number;
  /** Of these, where the page had to be scrolled first. */
  readonly scrolls: () => number;
  click(target: Locator): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  choose(list: Locator, label: string): Promise<void>;
}

export function countClicks(page: Page): CountedClicks {
  let [clicks, scrolls] = [0, 0];
  const count = async (target: Locator): Promise<void> => {
    await target.waitFor();
    await settled(page);
    clicks += 1;
    if (!(await isInSight(target))) scrolls += 1;
  };
  return {
    clicks: () => clicks,
    scrolls: () => scrolls,
    async click(target) {
      await count(target);
      await target.click();
    },
    async write(field, text) {
      await field.waitFor();
      await settled(page);
      if (!(await hasFocus(field))) {
        await count(field);
        await field.click();
      }
      await page.keyboard.type(text);
    },
    async choose(list, label) {
      await count(list);
      await list.click();
      await page.getByRole('option', { name: label, exact: true }).click();
    },
  };
}

function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => (element as unknown as Focusable).matches(':focus'));
}

/** Whether a pointer at the middle of it would hit it. */
export function isInSight(target: Locator): Promise<boolean> {
  return target.evaluate((element) => {
    const { x, y, width, height } = (element as unknown as Box).getBoundingClientRect();
    const within = globalThis as unknown as { document: Hit };
    const hit = within.document.elementFromPoint(x + width / 2, y + height / 2);
    return hit !== null && (element as unknown as Holder).contains(hit);
  });
}

/** Of a browser's document. */
interface Focusable {
  matches(selector: string): boolean;
}

interface Box {
  getBoundingClientRect(): Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;
}

interface Holder {
  contains(other: unknown): boolean;
}

interface Hit {
  elementFromPoint(x: number, y: number): unknown;
}
