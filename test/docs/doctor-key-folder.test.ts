/** What `countersign doctor` knows of a party's folder is what the party has there: the operator's tools import no party. */
import { expect, it } from '@jest/globals';
import { KEK_NAME, SEALED_KEYS } from '../../infra/admin/src/doctor/process-variables.ts';
import { partyKeyFiles } from '../../signer/src/party/party-keys.ts';

it('the doctor knows the files of a key folder', () => {
  const { kek, ...sealed } = partyKeyFiles('');
  expect(SEALED_KEYS.toSorted()).toEqual(Object.values(sealed).toSorted());
  expect(KEK_NAME).toBe(kek);
});
