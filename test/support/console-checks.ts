/** What holds of every page of the console, whoever looks at it and by whatever means. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { NARROW, settled, WIDE } from './console-browser.ts';

/** What is wrong with what is shown now; nothing where all is well. */
export async function faultsOfPage(page: Page): Promise<string[]> {
  await settled(page);
  return [
    ...(await seriousFaults(page)),
    ...(await keyboardFaults(page)),
    ...(await overflowOnPhone(page)),
  ];
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What keeps people out of the page, by axe-core's own measure of what is serious. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // half a megabyte, which a page that has it need not be sent again
  const isThere = await page.evaluate<boolean>("typeof axe === 'object'");
  if (!isThere) await page.evaluate(`void (() => {${AXE}})()`);
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Something is wider than a phone, which then scrolls sideways. */
async function overflowOnPhone(page: Page): Promise<string[]> {
  await page.setViewportSize(NARROW);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  await page.setViewportSize(WIDE);
  return width > NARROW.width ? [`${width - NARROW.width} pixels wider than a phone`] : [];
}

/** Notes where the focus was, and whether it was seen there. */
const FOLLOW_FOCUS = `(() => {
  const visited = new Set();
  const unseen = new Set();
  const note = ({ target }) => {
    visited.add(target);
    if (getComputedStyle(target).outlineStyle === 'none') unseen.add(target);
  };
  document.addEventListener('focusin', note);
  const usable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  // from everybody: axe-core sees to it that nothing there takes the focus
  const isHidden = (element) => element.closest('[aria-hidden="true"]') !== null;
  const left = () =>
    [...(document.querySelector('[role="dialog"]') ?? document).querySelectorAll(usable)].filter(
      (element) => element.checkVisibility() && !isHidden(element) && !visited.has(element),
    );
  window.focusFollower = {
    left: () => left().length,
    end() {
      document.removeEventListener('focusin', note);
      const say = (what) => (element) => what + ': ' + element.outerHTML.slice(0, 160);
      return [
        ...left().map(say('not reached by Tab')),
        ...[...unseen].map(say('nothing shows that the focus is here')),
      ];
    },
  };
})()`;

/** A field for a date and a time has so many places of its own. */
const MOST_STOPS = 9;

/** Presses Tab until it has been everywhere; what can be used and is not come by, or shows no focus, is a fault. */
async function keyboardFaults(page: Page): Promise<string[]> {
  await page.evaluate(FOLLOW_FOCUS);
  const left = () => page.evaluate<number>('focusFollower.left()');
  const all = await left();
  let pressed = 0;
  for (let now = all; now > 0 && pressed < all * MOST_STOPS; now = await left()) {
    for (let times = 0; times < now; times++) await page.keyboard.press('Tab');
    pressed += now;
  }
  return page.evaluate<string[]>('focusFollower.end()');
}
