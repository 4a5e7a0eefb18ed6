import { SPEC_VERSION } from '@countersign/api/operations/service.js';

/** Where the API description of the specification's release is kept: one file for each release. */
export function specPath(): string {
  const [major, minor] = SPEC_VERSION.split('.');
  return `docs/specs/v${major}.${minor}/openapi.json`;
}
