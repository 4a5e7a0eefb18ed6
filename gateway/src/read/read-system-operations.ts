import {
  getSystemHistoryOperation,
  getSystemOperationsOperation,
} from '@countersign/api/operations/system-operations.js';
import { readOperation } from './read-operation.js';

export const getSystemOperations = readOperation({
  ...getSystemOperationsOperation,
  handle: ({ figures }) => figures.read(),
});

export const getSystemHistory = readOperation({
  ...getSystemHistoryOperation,
  handle: ({ figures }) => figures.readHistory(),
});
