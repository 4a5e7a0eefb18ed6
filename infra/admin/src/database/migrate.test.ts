import { expect, it } from '@jest/globals';
import { SCHEMA_MIGRATIONS } from '@countersign/runtime/process/required-database.js';
import { MIGRATIONS } from './migrate.js';

it('runs the migrations that every process asks for at its start', () => {
  expect(MIGRATIONS.map(({ name }) => name)).toEqual(SCHEMA_MIGRATIONS);
});
