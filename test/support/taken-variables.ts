import { expect } from '@jest/globals';

interface Variable {
  safeParse(given: unknown): { readonly success: boolean };
}

/** That an environment has every variable that is needed, no unknown one, and each as the process takes it. */
export function expectTaken(
  variables: Readonly<Record<string, Variable>>,
  environment: Readonly<Record<string, string>>,
): void {
  expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([]);
  for (const [name, schema] of Object.entries(variables)) {
    expect([name, schema.safeParse(environment[name]).success]).toEqual([name, true]);
  }
}
