import { expect, test } from '@jest/globals';
import { reportPage } from './report-page.js';
import type { Measured } from './report.js';

const LOADED: Measured = {
  name: 'raw-sign </script>',
  load: {
    answers: 100,
    seconds: 2,
    latenciesMs: [],
    statuses: { 200: 100 },
    ...{ p50Ms: 1, p90Ms: 2, p99Ms: 4, p999Ms: 5, maxMs: 6 },
    cpuUs: { gateway: 60_000, 'load generator': 50_000 },
    mainThreadUs: { gateway: 40_000 },
    wakes: { gateway: 400 },
    othersUs: 0,
    stolenUs: 0,
  },
};
const START: Measured = { name: 'start', figures: { seconds: 3 } };

test('the page has its charts in it, and every figure as text too', () => {
  const page = reportPage('two cores', [LOADED, START], 'LIBRARY');
  expect(page).not.toMatch(/<link|\ssrc=|\shref=|@import|https?:/);
  expect(page).toContain('<script>LIBRARY</script>');
  expect(page).toMatch(/gateway","data":\[600\]/);
  expect(page).toMatch(/start +seconds +3/);
});

test('a name is shown as it is, and ends no script', () => {
  const page = reportPage('two cores', [LOADED], '');
  expect(page.match(/<\/script>/g)).toHaveLength(2);
  expect(page).toContain('raw-sign &lt;/script>');
});

test('without a load there is no chart', () => {
  expect(reportPage('x', [START], '')).toContain('const charts = [];');
});
