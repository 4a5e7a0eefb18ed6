import { describe, expect, test } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import { JsonNumber } from '@countersign/core/written-json.js';
import { defineVenue, type VenueDefinition } from '@countersign/venues/engine/define-venue.js';
import {
  createEndpointTable,
  endpoints,
  matchesTemplate,
  rowsUnder,
} from '@countersign/venues/engine/endpoint-table.js';
import { ordersIn } from '@countersign/venues/engine/nested-orders.js';
import {
  formBody,
  jsonBody,
  jsonBodyInAnyScript,
} from '@countersign/venues/engine/request-body.js';
import { entriesIn, parseAmount, readFacts } from '@countersign/venues/engine/request-facts.js';
import { createSuffixFinder } from '@countersign/venues/engine/suffixes.js';
import { checkPath, parseParameters } from '@countersign/venues/engine/wire-form.js';
import { findVenue, VENUES } from '@countersign/venues/venue-catalogue.js';
import { OPERATION_CLASSES } from '@countersign/core/vocabulary.js';
import fc from 'fast-check';
import { classOf, planOf, refusalOf, restRequest } from '../support/venue-checks.ts';

const KEY = { type: 'hmac', apiKey: 'key' } as const;

describe('queries and forms', () => {
  const hostile = fc.string({ unit: fc.constantFrom(...'ab=&%+;#2357AFaf [].é'.split('')) });
  // not `fc.pre`, which throws for each of many thousands
  const accepted = hostile.filter((raw) => !isRefusal(parseParameters(raw, 'query')));

  test('what is accepted is read by a common parser in the same way', () => {
    fc.assert(
      fc.property(accepted, (raw) => {
        const parameters = parseParameters(raw, 'query');
        if (isRefusal(parameters)) throw new Error('refused the second time alone');
        expect([...new URLSearchParams(raw)]).toEqual(
          parameters.map(({ name, value }) => [name, value]),
        );
      }),
      { numRuns: 5000 },
    );
  });

  test('every text survives as a value in the spelling of encodeURIComponent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        // eslint-disable-next-line no-control-regex -- the vault refuses control characters
        fc.pre(!/[\p{Surrogate}\u0000-\u001f\u007f-\u009f]/u.test(value));
        const raw = `name=${encodeURIComponent(value)}`;
        expect(parseParameters(raw, 'query')).toEqual([{ name: 'name', value }]);
      }),
    );
  });

  test.each([
    'a',
    '=1',
    'a=1&',
    '&a=1',
    'a=1&&b=2',
    'a=1&a=2',
    'a=1&A=2',
    'a=%2',
    'a=%zz',
    'a=%2f',
    'a=%61',
    '%61=1',
    'a=%7E',
    'a=1+1',
    'a=é',
    'a=%C3',
    'a=%EF%BB%BF%00',
    'a=%0D%0A',
    'a= 1',
    'a=1;b=2',
    'a=1#b',
    'a="1"',
    'a/b=1',
    'a%26b=1',
    'а=1',
    'a=b=c',
  ])('%s is refused', (raw) => {
    expect(parseParameters(raw, 'body')).toMatchObject({ refused: 'invalid_inputs' });
  });

  test('names may hold brackets, values may hold what needs no encoding', () => {
    expect(formBody('close[price]=1&b%5B0%5D=2&c=a,b:c@(d)!*%27')).toEqual({
      kind: 'form',
      parameters: [
        { name: 'close[price]', value: '1' },
        { name: 'b[0]', value: '2' },
        { name: 'c', value: "a,b:c@(d)!*'" },
      ],
    });
  });
});

describe('exceptions of a form', () => {
  const repeatable = ['status'];

  test('a name that may be given again counts once; another, or in another case, may not', () => {
    const parse = (raw: string) => parseParameters(raw, 'query', { repeatable });
    expect(parse('status=a&x=1&status=b')).toEqual([
      { name: 'status', value: 'a' },
      { name: 'x', value: '1' },
    ]);
    for (const raw of ['x=1&x=2', 'status=a&Status=b', 'status=a&status=+']) {
      expect(parse(raw)).toMatchObject({ refused: 'invalid_inputs' });
    }
  });

  test('a list as raw JSON, where a parameter may hold one', () => {
    const parse = (raw: string) => parseParameters(raw, 'body', { rawJson: ['orders'] });
    const orders = '[{"symbol":"BTCUSDT","quantity":0.5}]';
    expect(parse(`orders=${orders}&x=1`)).toEqual([
      { name: 'orders', value: orders },
      { name: 'x', value: '1' },
    ]);
    for (const raw of [
      `x=${orders}`,
      `Orders=${orders}`,
      'orders=[{"a":"b%22"}]',
      'orders=[{"a":"b c"}]',
      'orders=[{"a":"b+c"}]',
      'orders=[{"a":"b=c"}]',
      'orders=[{"a":"b;c#"}]',
      'orders={"a":"b"}',
      'orders=[{"a":"é"}]',
    ]) {
      expect(parse(raw)).toMatchObject({ refused: 'invalid_inputs' });
    }
  });
});

describe('paths', () => {
  test('what is accepted is left alone by a URL parser', () => {
    const accepted = fc
      .string({ unit: fc.constantFrom(...'/.%aZ0_-:;?#\\ é'.split('')) })
      .map((tail) => `/${tail}`)
      .filter((path) => checkPath(path) === undefined);
    fc.assert(
      fc.property(accepted, (path) => {
        expect(new URL(`https://venue.example${path}`).pathname).toBe(path);
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    '',
    'a',
    '/',
    '//',
    '/a/',
    '/a//b',
    '/./a',
    '/a/..',
    '/a%2Fb',
    '/a?b',
    '/a#b',
    '/a;b',
    '/a\\b',
    '/é',
    '/a b',
  ])('%j is refused', (path) => {
    expect(checkPath(path)).toMatchObject({ refused: 'invalid_inputs' });
  });
});

describe('JSON bodies', () => {
  test.each([
    '{"a":1,"a":2}',
    '{"a":1,"A":2}',
    '{"a":{"b":1,"B":2}}',
    '[{"a":1,"A":1}]',
    '{"\\u0061":1}',
    '{"a":"é"}',
    '{"a":1}\n',
    '{"a":1,}',
    '{"a":1}{"b":2}',
    '"a"',
    'null',
    '7',
    '[]',
    '[1]',
    '[[]]',
    '\ufeff{}',
    '{"__proto__":{}}',
  ])('%j is refused', (raw) => {
    expect(jsonBody(raw)).toMatchObject({ refused: 'invalid_inputs' });
  });

  test('letters of any script are for the venues that ask for them, control characters for none', () => {
    expect(jsonBodyInAnyScript('{"symbol":"币安"}')).toEqual({
      kind: 'json',
      object: { symbol: '币安' },
    });
    expect(jsonBodyInAnyScript('{"symbol":"a\u200bb"}')).toMatchObject({
      refused: 'invalid_inputs',
    });
    expect(jsonBodyInAnyScript('{"symbol":"\ud800"}')).toMatchObject({ refused: 'invalid_inputs' });
  });
});

describe('amounts', () => {
  test.each([
    ['1', '1'],
    ['0.50', '0.50'],
    [new JsonNumber('1.5'), '1.5'],
    [new JsonNumber('1.50'), '1.50'],
    [new JsonNumber('0.010000000000000000001'), '0.010000000000000000001'],
    [new JsonNumber('1e21'), undefined],
    [new JsonNumber('1e3'), undefined],
    [new JsonNumber('1e-7'), undefined],
    [new JsonNumber('-1'), undefined],
    [new JsonNumber('-0'), undefined],
    [1.5, undefined],
    ['1e3', undefined],
    ['+1', undefined],
    ['-1', undefined],
    ['01', undefined],
    ['.5', undefined],
    ['5.', undefined],
    ['1,5', undefined],
    ['0x1', undefined],
    ['Infinity', undefined],
    ['١', undefined],
    ['', undefined],
    [null, undefined],
    [['1'], undefined],
  ])('%j reads as %j', (value, amount) => {
    expect(parseAmount(value)).toBe(amount);
  });
});

describe('endings', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 });

  test('are found as by trying every word', () => {
    fc.assert(
      fc.property(fc.array(word), word, (words, text) => {
        const expected = words.some((each) => each !== '' && text.endsWith(each));
        expect(createSuffixFinder(words)(text)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('templates', () => {
  const segment = fc.constantFrom('', 'a', 'b', '{id}', '{x}y');
  const path = fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);

  test('fit paths of as many segments, each the same or a placeholder', () => {
    fc.assert(
      fc.property(path, path, (template, given) => {
        const wanted = template.split('/');
        const parts = given.split('/');
        const expected =
          wanted.length === parts.length &&
          wanted.every((each, at) => each === parts[at] || /^\{\w+\}$/.test(each));
        expect(matchesTemplate(template, given)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('facts of several entries', () => {
  const fields = { symbols: ['symbol'], sides: ['side'], amounts: ['qty'] };

  test('a fact that some entries carry and others do not is undecidable', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ symbol: fc.constant('BTC'), qty: fc.constant('1') }, { requiredKeys: [] }),
          {
            minLength: 1,
            maxLength: 5,
          },
        ),
        (entries) => {
          const facts = readFacts(entries, fields);
          if (isRefusal(facts)) throw new Error(facts.message);
          const carrying = entries.filter((entry) => entry.qty !== undefined).length;
          expect(facts.undecidable.includes('amount')).toBe(
            carrying > 0 && carrying < entries.length,
          );
          expect(facts.amounts).toHaveLength(carrying);
        },
      ),
    );
  });

  test.each([
    { Symbol: 'BTC' },
    { 'qty[]': '1' },
    { SIDE: 'buy' },
    { side: 'BUY ' },
    { symbol: '' },
    { symbol: 7 },
    { qty: null },
  ])('%j is refused', (entry) => {
    expect(readFacts([entry], fields)).toMatchObject({ refused: 'invalid_inputs' });
  });

  test('a list of symbols gives each of them', () => {
    const listed = { symbolLists: ['symbols'] };
    expect(readFacts([{ symbols: '["BTC","ETH"]' }], listed)).toMatchObject({
      symbols: ['BTC', 'ETH'],
    });
    expect(readFacts([{ symbols: ['BTC'] }], listed)).toMatchObject({ symbols: ['BTC'] });
    expect(readFacts([{ symbols: 'BTC' }], listed)).toMatchObject({ refused: 'invalid_inputs' });
    expect(readFacts([{ symbols: ['BTC', 7] }], listed)).toMatchObject({
      refused: 'invalid_inputs',
    });
  });

  test('entries inherit what stands beside the list; both at once is refused', () => {
    const read = entriesIn('orders');
    expect(read({ pair: 'A', orders: [{ qty: 1 }, { qty: 2 }] })).toEqual([
      { pair: 'A', qty: 1 },
      { pair: 'A', qty: 2 },
    ]);
    expect(read({ pair: 'A', orders: [{ Pair: 'B' }] })).toMatchObject({
      refused: 'invalid_inputs',
    });
    for (const orders of [undefined, [], {}, 'x', [1], '[]']) {
      expect(read({ orders })).toMatchObject({ refused: 'invalid_inputs' });
    }
  });
});

describe('orders inside a request', () => {
  const read = ordersIn('orders', 'symbol qty');

  test('have the parameters of their list and no other', () => {
    expect(read({ orders: [{ symbol: 'A', qty: '1' }] })).toEqual([{ symbol: 'A', qty: '1' }]);
    expect(read({ orders: [{ symbol: 'A', total: '1' }] })).toMatchObject({
      refused: 'invalid_inputs',
    });
  });

  test('are no text of a list: nobody would look through it', () => {
    for (const orders of ['[{"symbol":"A","total":"1"}]', undefined, {}, 7]) {
      expect(read({ orders })).toMatchObject({ refused: 'invalid_inputs' });
    }
  });
});

describe('the table', () => {
  test('two rows of one name do not load', () => {
    const rows = endpoints('read', ['query'], ['GET /a']);
    expect(() => createEndpointTable([...rows, ...rows])).toThrow('listed twice');
  });

  test('a path spelled out wins over a placeholder, which takes exactly one segment', () => {
    const table = createEndpointTable([
      ...endpoints('trade', ['query'], rowsUnder('GET /orders/', '{id} {id}/fills')),
      ...endpoints('read', ['query'], ['GET /orders/all']),
    ]);
    const find = (path: string) => table.find('rest', 'GET', path)?.template;
    expect(find('/orders/all')).toBe('/orders/all');
    expect(find('/orders/7')).toBe('/orders/{id}');
    expect(find('/orders/7/fills')).toBe('/orders/{id}/fills');
    expect(find('/orders/7/8')).toBeUndefined();
    expect(table.find('ws', 'GET', '/orders/7')).toBeUndefined();
  });
});

describe('a venue', () => {
  const definition: VenueDefinition = {
    id: 'venue',
    displayName: 'Venue',
    schemes: { hmac: 'hmac_sha256' },
    hmacSecretEncodings: ['utf8'],
    endpoints: [
      ...endpoints('read', ['query'], { 'GET /order': 'symbol id', 'GET /all': '' }),
      ...endpoints('trade', ['query', 'form'], {
        'DELETE /order': 'symbol id',
        'POST /order': 'symbol qty | id',
      }),
      ...endpoints('withdraw', ['query', 'form'], { 'POST /withdraw': 'address qty' }),
    ],
    fields: { symbols: ['symbol'], amounts: ['qty'] },
    termNames: {},
    binds: { rest: ['query'] },
    unsignedParts: 'method_and_path',
    ownedParameters: ['time'],
    readBody: formBody,
    prepare: () => () => {
      throw new Error('not composed here');
    },
  };
  const unbound = defineVenue(definition);
  const bound = defineVenue({ ...definition, unsignedParts: 'none' });
  const methodless = defineVenue({ ...definition, unsignedParts: 'method' });
  const cancellable = restRequest('GET /order', { query: 'symbol=A&id=1' });

  test('without a signed path a request counts as the worst it is good for', () => {
    expect(classOf(unbound, cancellable, KEY)).toBe('trade');
    expect(classOf(bound, cancellable, KEY)).toBe('read');
    expect(planOf(unbound, cancellable, KEY).facts.endpoint).toBe('GET /order');
  });

  test('without a signed method it counts as the worst at its path, and is named so', () => {
    expect(planOf(methodless, cancellable, KEY).facts).toMatchObject({
      operationClass: 'trade',
      endpoint: 'DELETE /order',
    });
  });

  test('off the table it is unknown, unless its signature would move funds', () => {
    const withdrawal = { query: 'address=x&qty=1' };
    expect(classOf(unbound, restRequest('POST /nothing', { query: 'qty=1' }), KEY)).toBe('unknown');
    expect(refusalOf(unbound, restRequest('POST /nothing', withdrawal), KEY)).toContain(
      '/withdraw',
    );
    expect(refusalOf(unbound, restRequest('POST /order', withdrawal), KEY)).toContain('/withdraw');
    expect(classOf(bound, restRequest('POST /nothing', withdrawal), KEY)).toBe('unknown');
  });

  test.each<[string, Partial<VenueDefinition>, 'read' | 'cancel', string]>([
    ['what does not only read', {}, 'cancel', 'status'],
    ['what rules look at', {}, 'read', 'symbol'],
    ['what is not held to its place', { unsignedParts: 'method' }, 'read', 'status'],
  ])('%s may not be given again', (_, change, operationClass, name) => {
    const load = (...row: Parameters<typeof endpoints>) =>
      defineVenue({
        ...definition,
        unsignedParts: 'none',
        endpoints: endpoints(...row),
        ...change,
      });
    const repeatable = [name];
    expect(() => load(operationClass, ['query'], ['GET /a'], { repeatable })).toThrow('repeat');
    expect(() => load('read', ['query'], ['GET /a'])).not.toThrow();
  });

  test('an unknown request has no facts', () => {
    const { facts } = planOf(bound, restRequest('GET /x', { query: 'symbol=A&qty=x' }), KEY);
    expect(facts).toEqual({
      venueId: 'venue',
      operationClass: 'unknown',
      endpoint: '',
      symbols: [],
      sides: [],
      amounts: [],
      quoteAmounts: [],
      contracts: [],
      undecidable: [],
      binds: ['query'],
      unknownBecause: 'the table of Venue has no endpoint "GET /x"',
    });
  });

  test('a name the row does not have, or a container it does not use, leaves the table', () => {
    expect(classOf(bound, restRequest('GET /all', { query: 'symbol=A' }), KEY)).toBe('unknown');
    expect(classOf(bound, restRequest('GET /all', { body: 'a=1' }), KEY)).toBe('unknown');
    const common = defineVenue({ ...definition, commonParameters: ['window'] });
    expect(classOf(common, restRequest('GET /all', { query: 'window=1' }), KEY)).toBe('read');
  });

  test('one name in query and body is refused in any letter case', () => {
    const request = restRequest('POST /order', { query: 'symbol=A&qty=1', body: 'Qty=9' });
    expect(refusalOf(bound, request, KEY)).toContain('same parameter');
  });

  test('keys without an API key, or with one that breaks a header, are refused', () => {
    for (const apiKey of ['', 'a b', 'a\r\nX-Other: 1', 'é']) {
      expect(classOf(bound, cancellable, { ...KEY, apiKey })).toBe('refused');
    }
    expect(classOf(bound, cancellable, { ...KEY, type: 'rsa' })).toBe('refused');
    expect(classOf(bound, { ...cancellable, channel: 'ws' }, KEY)).toBe('refused');
  });

  test('a table without names does not load where the path is not signed', () => {
    const loose = endpoints('read', ['query'], ['GET /loose']);
    expect(() => defineVenue({ ...definition, endpoints: loose })).toThrow('GET /loose');
  });

  test('lists the classes that a request can come to', () => {
    expect(bound.operationClasses).toEqual(['read', 'trade', 'withdraw', 'unknown']);
  });
});

describe('the catalogue', () => {
  test('every venue is found by its id, which is unique', () => {
    expect(new Set(VENUES.map(({ id }) => id)).size).toBe(VENUES.length);
    for (const venue of VENUES) expect(findVenue(venue.id)).toBe(venue);
    expect(findVenue('nowhere')).toBeUndefined();
  });

  test.each(VENUES.map((venue) => [venue.id, venue] as const))(
    '%s: ids are words, classes are in order, schemes fit their key types',
    (id, venue) => {
      expect(id).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
      const order = venue.operationClasses.map((name) => OPERATION_CLASSES.indexOf(name));
      expect(order).toEqual(order.toSorted((one, other) => one - other));
      expect(venue.operationClasses).toContain('unknown');
      for (const [type, scheme] of Object.entries(venue.schemes)) expect(scheme).toContain(type);
    },
  );
});
