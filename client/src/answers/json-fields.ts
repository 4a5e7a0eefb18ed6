/** Fields of parsed JSON whose form nobody vouches for. All are undefined when missing or of another type. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): JsonObject | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}

export function textField(value: unknown, name: string): string | undefined {
  const field = ownField(value, name);
  return typeof field === 'string' ? field : undefined;
}

export function listField(value: unknown, name: string): readonly unknown[] | undefined {
  const field = ownField(value, name);
  return Array.isArray(field) ? (field as readonly unknown[]) : undefined;
}

export function ownField(value: unknown, name: string): unknown {
  const object = objectOf(value);
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}
