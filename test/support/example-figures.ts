import {
  getSystemHistoryOperation,
  getSystemOperationsOperation,
} from '@countersign/api/operations/system-operations.js';

/** The figures of the API's example, for whoever tests something else. */
export const EXAMPLE_FIGURES = {
  read: async () => getSystemOperationsOperation.example.response,
  readHistory: () => getSystemHistoryOperation.example.response,
};
