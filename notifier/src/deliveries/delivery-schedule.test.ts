import { describe, expect, it } from '@jest/globals';
import { RETRY_PAUSES_MS, stepAfter, type Attempt } from './delivery-schedule.js';

const answered = (status: number): Attempt => ({ kind: 'answered', status });
const unanswered: Attempt = { kind: 'unanswered', reason: 'ECONNREFUSED' };

describe('an attempt', () => {
  it.each([200, 201, 204, 299])('that is answered %d is the last', (status) => {
    expect(stepAfter(answered(status), 1, 0)).toEqual({
      status: 'delivered',
      responseStatus: status,
      error: null,
      retryInMs: 0,
    });
  });

  it.each([100, 301, 302, 307, 308, 400, 401, 404, 408, 410, 429, 499])(
    'that is answered %d is given up',
    (status) => {
      expect(stepAfter(answered(status), 1, 0)).toMatchObject({
        status: 'failed',
        responseStatus: status,
        error: `answered ${status}`,
      });
    },
  );

  it.each([answered(500), answered(503), unanswered])('is followed by another: %j', (attempt) => {
    expect(stepAfter(attempt, 1, 0.5)).toMatchObject({ status: 'pending', retryInMs: 5_000 });
  });

  it('that may not be made is followed by none', () => {
    const refused: Attempt = { kind: 'refused', reason: 'private' };
    expect(stepAfter(refused, 1, 0)).toMatchObject({ status: 'failed', error: 'private' });
  });

  it('comes ever later, and not for ever', () => {
    const steps = RETRY_PAUSES_MS.map((_pause, index) => stepAfter(unanswered, index + 1, 0.5));
    expect(steps.map(({ retryInMs }) => retryInMs)).toEqual(RETRY_PAUSES_MS);
    expect(RETRY_PAUSES_MS).toEqual(RETRY_PAUSES_MS.toSorted((a, b) => a - b));
    const last = stepAfter(unanswered, RETRY_PAUSES_MS.length + 1, 0.5);
    expect(last).toMatchObject({ status: 'failed', error: 'ECONNREFUSED' });
  });

  it('comes a tenth earlier or later', () => {
    expect(stepAfter(unanswered, 1, 0).retryInMs).toBe(4_500);
    expect(stepAfter(unanswered, 1, 1).retryInMs).toBe(5_500);
  });
});
