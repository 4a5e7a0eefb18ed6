import { describe, expect, test } from '@jest/globals';
import { explainRequest } from './explain-request.js';
import { readPasted } from './pasted-request.js';

const ORDER = 'symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.01';
const JSON_ORDER = '{"category":"spot","symbol":"BTCUSDT","side":"Buy","qty":"0.01"}';

describe('a request to a venue', () => {
  test('is told by class and by what rules look at, without what the vault sets', () => {
    const pasted = `POST https://api.binance.com/api/v3/order?${ORDER}&timestamp=1&signature=ab`;
    expect(explainRequest('binance', pasted)).toMatchObject({
      venue_request: { channel: 'rest', method: 'POST', path: '/api/v3/order', query: ORDER },
      set_by_the_vault: ['timestamp', 'signature'],
      reads_as: {
        operation_class: 'trade',
        endpoint: 'POST /api/v3/order',
        symbols: ['BTCUSDT'],
        amounts: ['0.01'],
      },
    });
  });

  test.each([
    ['okx', 'POST /api/v5/trade/ordr {"instId":"A"}', '"POST /api/v5/trade/ordr"'],
    ['kraken', 'POST /0/private/CancelOrder txid=A&nonce=4&odd=1', '"odd"'],
  ])('of class unknown names what made it so: %s', (venueId, pasted, reason) => {
    expect(explainRequest(venueId, pasted).reads_as).toMatchObject({
      operation_class: 'unknown',
      unknown_because: expect.stringContaining(reason),
    });
  });

  test('has owned names taken out of JSON, and of the header in which Gemini has it', () => {
    const payload = JSON.stringify({ request: '/v1/order/cancel', nonce: 1, order_id: 5 });
    const header = `X-GEMINI-PAYLOAD: ${Buffer.from(payload).toString('base64')}`;
    const told = explainRequest('gemini', `POST /v1/order/cancel HTTP/1.1\n${header}\n\n`);
    expect(told.venue_request.body).toBe('{"order_id":5}');
    expect(told.set_by_the_vault).toEqual(['request', 'nonce']);
    expect(told.reads_as).toMatchObject({ operation_class: 'cancel' });
  });

  test('that no rule could have signed says why', () => {
    const told = explainRequest('binance', 'GET /api/v3/order?symbol=A&symbol=B');
    expect(told).toHaveProperty('refused');
    expect(told).not.toHaveProperty('reads_as');
  });

  test('whose JSON is none is refused by the venue’s own check, as it stands', () => {
    expect(explainRequest('bybit', 'POST /v5/order/create {"a":').refused).toBeDefined();
  });

  test('to a venue that is not known', () => {
    expect(() => explainRequest('nowhere', 'GET /')).toThrow(/binance, bybit/);
  });
});

describe('what was pasted', () => {
  const created = { method: 'POST', target: '/v5/order/create', body: JSON_ORDER };

  test.each([
    ['a line', `POST /v5/order/create ${JSON_ORDER}`],
    ['a message', `post https://api.bybit.com/v5/order/create HTTP/1.1\nA: b\n\n${JSON_ORDER}`],
    ['a message of another system', `POST /v5/order/create\r\nA: b\r\n\r\n${JSON_ORDER}\r\n`],
    ['curl', `curl -s https://api.bybit.com/v5/order/create -d '${JSON_ORDER}'`],
    [
      'curl, over lines',
      `curl -XPOST \\\n  --data-raw '${JSON_ORDER}' \\\n  --url=https://a/v5/order/create`,
    ],
    [
      'curl, in other quotes',
      `curl --json ${JSON.stringify(JSON_ORDER)} "https://a/v5/order/create"`,
    ],
  ])('is read: %s', (_what, pasted) => {
    expect(readPasted(pasted)).toMatchObject(created);
  });

  test('as curl puts data into a query, and encodes them', () => {
    const pasted = "curl -G 'https://a/p?x=1' -d y=2 --data-urlencode 'z=a b' -H 'N: v: w'";
    const read = readPasted(pasted);
    expect(read).toMatchObject({ method: 'GET', target: '/p?x=1&y=2&z=a%20b', body: '' });
    expect([...read.headers]).toEqual([['n', 'v: w']]);
  });

  test.each([
    ['nothing', '', 'METHOD TARGET'],
    ['half a quote', "curl 'https://a/b", 'a quote that does not end'],
    ['no URL', 'curl -X POST', 'without a URL'],
    ['an option alone', 'curl https://a/b -d', '-d without a value'],
    ['a file', 'curl https://a/b -d @order.json', 'paste the file'],
    ['an option that may change the request', 'curl https://a/b -u me:secret', 'option -u'],
  ])('or is not, with a word about it: %s', (_what, pasted, word) => {
    expect(() => readPasted(pasted)).toThrow(word);
  });
});
