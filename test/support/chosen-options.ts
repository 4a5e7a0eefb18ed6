/** Choosing from the lists of the console, as somebody does who has no pointer. */
import type { Locator } from 'playwright-core';

/** From a list that opens: its button has the focus, then the option whose name is typed. */
export async function chooseOption(list: Locator, name: string): Promise<void> {
  const page = list.page();
  await list.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name, exact: true }).waitFor();
  await page.keyboard.type(name);
  await page.getByRole('option', { name, exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
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
