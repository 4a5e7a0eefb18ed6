/**
 * The texts of a request's fields, for the API description. They are kept apart from the shapes that read a request,
 * so that no English decides what an entry of the ledger means.
 */
import { Shape, type AnyShape, type Description, type Fields } from '@countersign/core/shapes.js';

type Text = string | Description;

/** The text of a field, followed by the texts of its own fields: one set for each form that it has. */
type FieldText = Text | readonly [Text, FieldTexts, ...FieldTexts[]];

export interface FieldTexts {
  readonly [name: string]: FieldText;
}

export interface RequestTexts {
  /** The body's name in the API description. */
  readonly name?: string;
  /** The texts of the fields; for a body of several forms, those of each. */
  readonly body?: FieldTexts | readonly FieldTexts[];
  readonly query?: FieldTexts;
}

export function describeBody(body: AnyShape, texts: RequestTexts = {}): AnyShape {
  const described = texts.body === undefined ? body : tell(body, [texts.body].flat());
  return texts.name === undefined ? described : described.meta({ id: texts.name });
}

export function describeQuery(query: AnyShape, texts: RequestTexts = {}): AnyShape {
  return texts.query === undefined ? query : tell(query, [texts.query]);
}

/** Describes the fields of another shape made of a request's: a draft that is never sent to the ledger. */
export function describeFields<S extends AnyShape>(shape: S, texts: FieldTexts): S {
  return tell(shape, [texts]) as S;
}

/** Throws if a field has no text, or a text no field. */
function tell(shape: AnyShape, forms: readonly FieldTexts[]): AnyShape {
  const { from, call, args } = shape.making;
  const making =
    from === undefined
      ? { call, args: tellParts(call, args, forms) }
      : { from: tell(from, forms), call, args };
  return new Shape(making, (value) => shape.read(value));
}

function tellParts(
  call: string,
  args: readonly unknown[],
  forms: readonly FieldTexts[],
): readonly unknown[] {
  const [first, second] = args;
  if (call === 'array') return [tell(first as AnyShape, forms)];
  if (call === 'union') return [tellForms(call, first as readonly AnyShape[], forms)];
  if (call === 'discriminatedUnion') {
    return [first, tellForms(call, second as readonly AnyShape[], forms)];
  }
  if (call !== 'strictObject') throw new Error(`texts for the fields of ${call}`);
  if (forms.length !== 1) throw new Error(`texts for ${forms.length} forms of ${call}`);
  return [tellFields(first as Fields, forms[0]!)];
}

/** Each form that has fields, with its texts. */
function tellForms(call: string, shapes: readonly AnyShape[], forms: readonly FieldTexts[]) {
  const withFields = shapes.filter(hasFields);
  if (forms.length !== withFields.length) {
    throw new Error(`texts for ${forms.length} forms of ${call}`);
  }
  return shapes.map((shape) =>
    hasFields(shape) ? tell(shape, [forms[withFields.indexOf(shape)]!]) : shape,
  );
}

function hasFields({ making: { from, call } }: AnyShape): boolean {
  return from === undefined ? call === 'strictObject' : hasFields(from);
}

function tellFields(fields: Fields, texts: FieldTexts): Fields {
  const alone = Object.keys(texts).find((name) => !Object.hasOwn(fields, name));
  if (alone !== undefined) throw new Error(`a text for "${alone}", which is no field`);
  return Object.fromEntries(
    Object.entries(fields).map(([name, shape]) => {
      const text = texts[name];
      if (text === undefined) throw new Error(`no text for the field "${name}"`);
      return [name, tellField(shape, text)];
    }),
  );
}

function tellField(shape: AnyShape, text: FieldText): AnyShape {
  if (typeof text === 'string') return shape.describe(text);
  if (!Array.isArray(text)) return shape.meta(text as Description);
  const [own, ...forms] = text as readonly [Text, ...FieldTexts[]];
  return tellField(tell(shape, forms), own);
}
