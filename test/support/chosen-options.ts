/** Choosing from the lists of the console, as somebody does who has no pointer. */
import type { Locator } from 'playwright-core';

/** From a list that opens: its button has the focus, then the option whose name is typed. */
export async function chooseOption(list: Locator, name: string): Promise<void> {
  const page = list.page();
  const option = page.getByRole('option', { name, exact: true });
  await openUntil(list, option);
  await page.keyboard.type(name);
  await option.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
}

const TRIES = 10;

/** A page that still reads can draw the list anew under a key: then it is pressed again, as anybody does. */
async function openUntil(list: Locator, option: Locator): Promise<void> {
  const page = list.page();
  for (let left = TRIES; left > 0; left--) {
    await list.press('Enter');
    const isThere = await option.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    if (await page.getByRole('listbox').isVisible()) await page.keyboard.press('Escape');
  }
  throw new Error('the list has no such option');
}

/** From what is found by a part of a name. */
export async function findOption(field: Locator, name: string, part = name): Promise<void> {
  const page = field.page();
  await field.focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(part);
  const option = page.getByRole('option', { name, exact: true });
  await option.waitFor();
  while ((await option.getAttribute('data-focused')) === null) {
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
}
