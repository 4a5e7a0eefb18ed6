/**
 * Values made from shapes (`shared/core/src/shapes.ts`): well formed for the most part, as each shape says by which
 * calls it came about. What a field is to hold so that it means something in a vault is told by its name.
 */
import type { AnyShape, Fields } from '@countersign/core/shapes.js';
import type { Random } from './seeded-random.ts';

export interface ValueSource {
  readonly random: Random;
  /** What the field of this name may hold; undefined where the name says nothing. */
  named(name: string): unknown;
}

interface Form {
  readonly call: string;
  readonly args: readonly unknown[];
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
}

const forms = new WeakMap<AnyShape, Form>();

/** How it begins, with what was added to it. */
function formOf(shape: AnyShape): Form {
  const known = forms.get(shape);
  if (known !== undefined) return known;
  const form = readForm(shape);
  forms.set(shape, form);
  return form;
}

function readForm({ making }: AnyShape): Form {
  const { from, call, args } = making;
  if (from === undefined) {
    return { call, args, min: undefined, max: undefined, isOptional: false, isNullable: false };
  }
  const form = formOf(from);
  const [bound] = args as [number];
  if (call === 'min') return { ...form, min: bound };
  if (call === 'max') return { ...form, max: bound };
  if (call === 'length') return { ...form, min: bound, max: bound };
  if (call === 'optional') return { ...form, isOptional: true };
  return call === 'nullable' ? { ...form, isNullable: true } : form;
}

/** What is tried where a name says nothing: each shape takes those that it reads. */
const TEXTS = [
  ...['a', 'desk-1', 'Desk one', '', ' ', '0', '1', '0.5', '1000.000001', '09:30', '17:00'],
  ...['Europe/London', 'UTC', 'BTC-USD', 'POST /a', 'n1/usdc', 'https://hooks.example.com/x'],
  ...['http://127.0.0.1/x', 'https://[::1]/x', '2025-01-01T00:00:00Z'],
  ...['ada@example.com', '2026-01-06T12:00:00Z', '2030-01-01T00:00:00+01:00'],
  ...['01234567-89ab-4cde-8f01-abcdefabcdef', 'ab'.repeat(32), 'cd'.repeat(64)],
  ...['QUJD', Buffer.alloc(32, 7).toString('base64url'), Buffer.alloc(64, 7).toString('base64')],
  ...['x'.repeat(64), 'y'.repeat(128), 'zürich', '\u{1f511}'],
  ...['203.0.113.0/24', '10.0.0.0/8', '2001:db8::/32', '::1/128', '0.0.0.0/0'],
];

const goodTexts = new WeakMap<AnyShape, readonly string[]>();

function textFor(shape: AnyShape, { random }: ValueSource): string {
  const known = goodTexts.get(shape) ?? TEXTS.filter((text) => 'value' in shape.read(text));
  goodTexts.set(shape, known);
  return known.length === 0 ? 'a' : random.pick(known);
}

function numberFor({ min = 0, max = 1_000_000 }: Form, { random }: ValueSource): number {
  const near = [min, max, min + 1, Math.floor(min + random.next() * Math.min(max - min, 20))];
  return random.pick(near.filter((value) => value >= min && value <= max));
}

function arrayFor(name: string, { args, min = 0, max = 3 }: Form, source: ValueSource): unknown[] {
  const most = Math.min(max, Math.max(min, source.random.chance(0.02) ? min + 30 : min + 2));
  const length = min + Math.floor(source.random.next() * (most - min + 1));
  return Array.from({ length }, () => valueFor(args[0] as AnyShape, source, name));
}

function fieldsFor(fields: Fields, source: ValueSource): Record<string, unknown> {
  const share = source.random.pick([0.15, 0.4, 0.8]);
  const value: Record<string, unknown> = {};
  for (const [name, shape] of Object.entries(fields)) {
    if (formOf(shape).isOptional && !source.random.chance(share)) continue;
    value[name] = valueFor(shape, source, name);
  }
  return value;
}

function recordFor([key, of]: readonly unknown[], source: ValueSource): Record<string, unknown> {
  const names = ['desk', 'book', 'tier'].filter(() => source.random.chance(0.5));
  const good = names.filter((name) => 'value' in (key as AnyShape).read(name));
  return Object.fromEntries(
    good.map((name) => [name, valueFor(of as AnyShape, source, 'label value')]),
  );
}

/** Names of fields that hold lists of objects, or one: they are told as a whole. */
const TOLD_WHOLE: readonly string[] = ['shares'];

/** `name`: of the field that holds it, or whose list does. */
export function valueFor(shape: AnyShape, source: ValueSource, name = ''): unknown {
  const form = formOf(shape);
  const { random } = source;
  if (form.isNullable && random.chance(0.1)) return null;
  const isWhole = TOLD_WHOLE.includes(name);
  const isPlain = ['string', 'email', 'iso.datetime', 'int', 'number'].includes(form.call);
  const told = isWhole || isPlain ? source.named(name) : undefined;
  return told ?? valueOf(shape, { form, source, name });
}

interface Making {
  readonly form: Form;
  readonly source: ValueSource;
  readonly name: string;
}

function valueOf(shape: AnyShape, { form, source, name }: Making): unknown {
  const { call, args } = form;
  const { random } = source;
  switch (call) {
    case 'string':
    case 'email':
    case 'iso.datetime':
      return textFor(shape, source);
    case 'int':
    case 'number':
      return numberFor(form, source);
    case 'boolean':
      return random.chance(0.5);
    case 'literal':
    case 'enum':
      return random.pick([args[0]].flat());
    case 'array':
      return arrayFor(name, form, source);
    case 'strictObject':
    case 'object':
      return fieldsFor(args[0] as Fields, source);
    case 'record':
      return recordFor(args, source);
    case 'union':
    case 'discriminatedUnion':
      return valueFor(random.pick(args.find(Array.isArray) as AnyShape[]), source, name);
    case 'unknown':
    case 'looseObject':
      return { message: 'QUJD', message_encoding: 'base64' };
    default:
      throw new Error(`no values are made of ${call}`);
  }
}

/** Every kind of value that a field may be given by mistake or malice. */
const WRONG: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e300, Number.MAX_SAFE_INTEGER, '', 'NaN', 'Infinity'],
  ...['1,000', '-1', '+1', '1e3', '.5', '1.', '0x10', '00', '٣', '1'.repeat(400), '-0', '1 '],
  ...['__proto__', 'constructor', 'toString', '\ud800', 'a\u0000b', '\u2028', 'ﬀ', 'İ', 'ẞ'],
  ...['10.0.0.1/8', '::ffff:10.0.0.0/104', '10.0.0.0/33', 'fe80::%1/64'],
  ...['2026-02-30T00:00:00Z', '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z', '24:00'],
  ...[[], {}, [[]], [null], [{}], { toString: 1 }, { length: 3 }, { then: 'x' }],
];

/** Of a body: somewhere in it is what does not belong there, or is missing. */
export function withFault(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return random.pick(WRONG);
  if (Array.isArray(value)) return faultyList(value, random);
  const entries = Object.entries(value);
  const [kind] = [random.next()];
  if (entries.length === 0 || kind < 0.15) {
    return { ...value, [random.pick(['extra', 'constructor', '', 'id'])]: random.pick(WRONG) };
  }
  const [name, old] = random.pick(entries);
  const rest = Object.fromEntries(entries.filter(([other]) => other !== name));
  return kind < 0.3 ? rest : { ...rest, [name]: withFault(old, random) };
}

function faultyList(list: readonly unknown[], random: Random): unknown[] {
  if (list.length === 0) return [random.pick(WRONG)];
  const at = Math.floor(random.next() * list.length);
  const kind = random.next();
  if (kind < 0.25) return [...list, list[at]];
  if (kind < 0.35) return Array.from({ length: 1_100 }, () => list[at]);
  return list.with(at, withFault(list[at], random)) as unknown[];
}

/** Texts that JSON.stringify never writes. */
export function faultyText(text: string, random: Random): string {
  const deep = random.pick([64, 5_000, 60_000]);
  return random.pick([
    () => text.replace('{', '{"__proto__":{"type":"human"},'),
    () => text.replace('{', '{"display_name":"twice","display_name":"x",'),
    () => text.replace(/"([^"]*)"/, '"\\ud800$1"'),
    () => text.replace(/\d+/, (digits) => `${digits}e400`),
    () => text.replace(/\d+/, (digits) => `${digits}.0`),
    () => text.replace(/\d+/, (digits) => `-${digits}`),
    () => `\ufeff${text}`,
    () => `${text} ${text}`,
    () => text.slice(0, Math.floor(random.next() * text.length)),
    () => `{"a":${'['.repeat(deep)}${']'.repeat(deep)}}`,
    () => '{"a":'.repeat(deep) + '1' + '}'.repeat(deep),
    () => `${text.slice(0, -1)},"padding":"${'p'.repeat(random.pick([10, 10_000, 250_000]))}"}`,
  ])();
}
